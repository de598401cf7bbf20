import * as z from 'zod/mini';
import { FunctionFailure, type Invoke } from '../functions/invoke.ts';
import { matches } from '../functions/role.ts';
import type { ApiDefinition, AuthorizerDefinition } from '../template/readApi.ts';
import { type GatewayRequest, rawHeaderValues } from './gatewayRequest.ts';
import { GatewayError } from './gatewayResponse.ts';
import type { RouteMatch } from './matchRoute.ts';
import { authorizerEvent, methodArn } from './proxyEvent.ts';

/**
 * The IAM policy returned by an authorizer, with the elements that ours has. Others are rejected, because ignoring a
 * condition or a negation would grant too much.
 */
const policySchema = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Effect: z.enum(['Allow', 'Deny']),
      Action: z.literal('execute-api:Invoke'),
      Resource: z.string(),
    }),
  ),
});

const resultSchema = z.object({
  principalId: z.string(),
  policyDocument: policySchema,
  context: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
});

type AuthorizerResult = z.infer<typeof resultSchema>;

/** @returns what the route's function receives as `requestContext.authorizer`. @throws GatewayError if it is refused */
export type Authorize = (request: GatewayRequest, match: RouteMatch) => Promise<Record<string, unknown>>;

/** Authorizes requests as API Gateway does: by the authorizer's function, or by its cached result for this caller. */
export function gatewayAuthorizer(api: ApiDefinition, definition: AuthorizerDefinition, invoke: Invoke): Authorize {
  const cache = new Map<string, { readonly result: AuthorizerResult; readonly expiresAt: number }>();

  async function resultFor(identity: string, ask: () => Promise<AuthorizerResult>): Promise<AuthorizerResult> {
    const cached = cache.get(identity);
    if (cached !== undefined && cached.expiresAt > Date.now()) return cached.result;
    const result = await ask();
    const now = Date.now();
    for (const [other, { expiresAt }] of cache) if (expiresAt <= now) cache.delete(other);
    if (definition.cacheSeconds > 0) cache.set(identity, { result, expiresAt: now + definition.cacheSeconds * 1000 });
    return result;
  }

  return async (request, match) => {
    const identity = rawHeaderValues(request, definition.identityHeader).join(',');
    if (identity.trim() === '') throw new GatewayError('UNAUTHORIZED');
    const ask = () => resultOf(() => invoke(definition.function, authorizerEvent(api, request, match)));
    const { principalId, policyDocument, context } = await resultFor(identity, ask);
    // A cached result may come from a request to another route, so evaluate the policy for each request.
    if (!permits(policyDocument, methodArn(api, request))) throw new GatewayError('ACCESS_DENIED');
    const texts = Object.entries(context ?? {}).map(([name, value]) => [name, String(value)]);
    return { ...Object.fromEntries(texts), principalId };
  };
}

async function resultOf(call: () => Promise<unknown>): Promise<AuthorizerResult> {
  try {
    const parsed = z.safeParse(resultSchema, await call());
    if (parsed.success) return parsed.data;
    throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', parsed.error);
  } catch (error) {
    if (!(error instanceof FunctionFailure)) throw error;
    // API Gateway responds with 401 to exactly this message, and with 500 to any other.
    if (error.message === 'Unauthorized') throw new GatewayError('UNAUTHORIZED');
    throw new GatewayError('AUTHORIZER_FAILURE', error);
  }
}

/** Whether a policy allows invoking a method: at least one statement must allow it, and none may deny it. */
export function permits(policy: z.infer<typeof policySchema>, methodArn: string): boolean {
  const effects = policy.Statement.filter(({ Resource }) => matches(Resource, methodArn)).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}
