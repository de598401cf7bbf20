import * as z from 'zod/mini';
import { FunctionFailure, type Invoke } from '../functions/invoke.ts';
import type { ApiDefinition, AuthorizerDefinition } from '../template/deployment.ts';
import { GatewayError } from './gatewayError.ts';
import { type GatewayRequest, rawHeaderValues } from './gatewayRequest.ts';
import type { RouteMatch } from './matchRoute.ts';
import { permits, policySchema } from './policy.ts';
import { authorizerEvent, methodArn } from './proxyEvent.ts';

const resultSchema = z.object({
  principalId: z.string(),
  policyDocument: policySchema,
  context: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

type AuthorizerResult = z.infer<typeof resultSchema>;

interface CachedResult {
  readonly result: AuthorizerResult;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Authorizes requests as API Gateway does: invokes the authorizer's function, or uses the cached result for this
 * caller.
 */
export class GatewayAuthorizer {
  readonly #api: ApiDefinition;
  readonly #definition: AuthorizerDefinition;
  readonly #invoke: Invoke;
  readonly #cache = new Map<string, CachedResult>();

  constructor(api: ApiDefinition, definition: AuthorizerDefinition, invoke: Invoke) {
    this.#api = api;
    this.#definition = definition;
    this.#invoke = invoke;
  }

  /**
   * Decides whether a request is allowed.
   * @returns what the route's function receives as `requestContext.authorizer`
   * @throws GatewayError if it is not
   */
  async authorize(request: GatewayRequest, match: RouteMatch): Promise<Record<string, unknown>> {
    const identity = this.#definition.identityHeaders.map((name) => rawHeaderValues(request, name).join(','));
    if (identity.some((value) => value.trim() === '')) throw new GatewayError('UNAUTHORIZED');
    const started = performance.now();
    const { principalId, policyDocument, context } = await this.#result(JSON.stringify(identity), request, match);
    // A cached result may come from a request to another route, so evaluate the policy for each request.
    if (!permits(policyDocument, methodArn(this.#api, request))) throw new GatewayError('ACCESS_DENIED');
    const texts = Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]);
    const integrationLatency = Math.round(performance.now() - started);
    return { ...Object.fromEntries(texts), principalId, integrationLatency };
  }

  async #result(identity: string, request: GatewayRequest, match: RouteMatch): Promise<AuthorizerResult> {
    const cached = this.#cache.get(identity);
    if (cached !== undefined && cached.expiresAt > Date.now()) return cached.result;
    const result = await this.#ask(request, match);
    this.#removeExpired();
    const expiresAt = Date.now() + this.#definition.cacheSeconds * 1000;
    if (expiresAt > Date.now()) this.#cache.set(identity, { result, expiresAt });
    return result;
  }

  async #ask(request: GatewayRequest, match: RouteMatch): Promise<AuthorizerResult> {
    try {
      const event = authorizerEvent(this.#api, request, match);
      const parsed = z.safeParse(resultSchema, await this.#invoke(this.#definition.function, event));
      if (parsed.success) return parsed.data;
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', parsed.error);
    } catch (error) {
      if (!(error instanceof FunctionFailure)) throw error;
      // API Gateway responds with 401 to exactly this message, and with 500 to any other.
      if (error.message === 'Unauthorized') throw new GatewayError('UNAUTHORIZED');
      throw new GatewayError('AUTHORIZER_FAILURE', error);
    }
  }

  /** All results are cached for the same time, so the first entries expire first. */
  #removeExpired(): void {
    for (const [identity, { expiresAt }] of this.#cache) {
      if (expiresAt > Date.now()) return;
      this.#cache.delete(identity);
    }
  }
}
