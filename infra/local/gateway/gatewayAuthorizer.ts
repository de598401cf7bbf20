import * as z from 'zod/mini';
import { FunctionFailure, type Invoke } from '../functions/invoke.ts';
import type { ApiDefinition, AuthorizerDefinition } from '../template/deployment.ts';
import { GatewayError } from './gatewayError.ts';
import { type GatewayRequest, headerValues } from './gatewayRequest.ts';
import type { Match } from './matchRoute.ts';
import { permits, policySchema } from './policy.ts';
import { authorizerEvent, methodArn } from './proxyEvent.ts';

const answerSchema = z.object({
  principalId: z.string(),
  policyDocument: policySchema,
  context: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

interface Kept {
  readonly answer: z.infer<typeof answerSchema>;
  readonly until: number;
}

/** What API Gateway does before a route with an authorizer: ask its function, or use the answer it has for this caller. */
export class Authorizer {
  readonly #api: ApiDefinition;
  readonly #definition: AuthorizerDefinition;
  readonly #invoke: Invoke;
  readonly #kept = new Map<string, Kept>();

  constructor(api: ApiDefinition, definition: AuthorizerDefinition, invoke: Invoke) {
    this.#api = api;
    this.#definition = definition;
    this.#invoke = invoke;
  }

  /**
   * Lets a request pass or not.
   * @returns what the function gets as `requestContext.authorizer`
   * @throws GatewayError when the request goes no further
   */
  async authorize(request: GatewayRequest, match: Match): Promise<Record<string, unknown>> {
    const identity = this.#definition.identityHeaders.map((name) => headerValues(request, name).join(','));
    if (identity.some((value) => value.trim() === '')) throw new GatewayError('UNAUTHORIZED');
    const started = performance.now();
    const { principalId, policyDocument, context } = await this.#answer(JSON.stringify(identity), request, match);
    // The answer may be of an earlier request on another route, so the policy is read for each.
    if (!permits(policyDocument, methodArn(this.#api, request))) throw new GatewayError('ACCESS_DENIED');
    const texts = Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]);
    const integrationLatency = Math.round(performance.now() - started);
    return { ...Object.fromEntries(texts), principalId, integrationLatency };
  }

  async #answer(identity: string, request: GatewayRequest, match: Match): Promise<Kept['answer']> {
    const kept = this.#kept.get(identity);
    if (kept !== undefined && kept.until > Date.now()) return kept.answer;
    const answer = await this.#ask(request, match);
    this.#forgetOld();
    const until = Date.now() + this.#definition.cacheSeconds * 1000;
    if (until > Date.now()) this.#kept.set(identity, { answer, until });
    return answer;
  }

  async #ask(request: GatewayRequest, match: Match): Promise<Kept['answer']> {
    try {
      const event = authorizerEvent(this.#api, request, match, this.#definition);
      const parsed = z.safeParse(answerSchema, await this.#invoke(this.#definition.function, event));
      if (parsed.success) return parsed.data;
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', parsed.error);
    } catch (error) {
      if (!(error instanceof FunctionFailure)) throw error;
      // The one text by which an authorizer says that nobody is identified; anything else is a fault of its own.
      if (error.message === 'Unauthorized') throw new GatewayError('UNAUTHORIZED');
      throw new GatewayError('AUTHORIZER_FAILURE', error);
    }
  }

  /** All answers are kept for the same time, so the old ones come first. */
  #forgetOld(): void {
    for (const [identity, { until }] of this.#kept) {
      if (until > Date.now()) return;
      this.#kept.delete(identity);
    }
  }
}
