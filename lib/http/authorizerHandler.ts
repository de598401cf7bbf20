import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import {
  authorize,
  hasOwnToken,
  type IdentityProvider,
  type TokenRefusal,
  type TokenStore,
} from '../access/authorize.ts';
import { type Caller, toAuthorizerContext } from '../access/caller.ts';
import { deadlineOf, timedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError, errors } from '../item/errors.ts';
import { headerValues } from './headers.ts';
import type { Observe } from './observation.ts';

export interface AuthorizerDependencies {
  readonly tokens: TokenStore;
  /** If omitted, only tokens issued by this service are accepted. */
  readonly identity?: IdentityProvider | undefined;
  /** The API key by which API Gateway limits an account. If omitted, it limits none. */
  readonly shareOf?: ((account: string) => string) | undefined;
  readonly now: () => EpochMs;
  readonly observe: Observe;
}

/**
 * The Lambda authorizer, of type REQUEST. A valid token is allowed on the whole stage, because API Gateway caches the
 * policy by token: one for a single route would deny the next. The handlers check the permissions of the caller.
 */
export const authorizerHandler =
  ({ tokens, identity, shareOf, now, observe }: AuthorizerDependencies) =>
  async (event: APIGatewayRequestAuthorizerEvent, context: Context): Promise<APIGatewayAuthorizerResult> => {
    const started = now();
    const timed = timedContext(deadlineOf(started, context.getRemainingTimeInMillis()));
    const values = headerValues(event, 'authorization');
    const refusals: TokenRefusal[] = [];
    const refuse = (refusal: TokenRefusal) => void refusals.push(refusal);
    const outcome =
      (await authorize(tokens, timed, values, started, identity, refuse).catch(asCatalogError)) ??
      new CatalogError('UNAUTHORIZED');
    const isError = outcome instanceof CatalogError;
    const [refusal] = refusals;
    // A token without a refusal was valid, or could not be checked.
    const refusedUser = isError && (refusal === undefined || refusal.isUser);
    observe({
      requestId: event.requestContext.requestId,
      operation: 'authorizer',
      account: isError ? undefined : outcome.account,
      status: isError ? errors[outcome.code].status : 200,
      code: isError ? outcome.code : undefined,
      refusal,
      refusedUser: identity === undefined || hasOwnToken(values) ? undefined : refusedUser,
      replayed: false,
      duration: now() - started,
      stats: timed.stats,
      cause: isError ? outcome.cause : undefined,
    });
    if (isError) return deny(outcome, event.methodArn);
    return { ...allow(outcome, event.methodArn), usageIdentifierKey: shareOf?.(outcome.account) };
  };

/** A known caller without access is denied. Failing to check a token is an internal error. */
const asCatalogError = (error: unknown): CatalogError =>
  error instanceof CatalogError && error.code === 'FORBIDDEN'
    ? error
    : new CatalogError('INTERNAL_ERROR', { cause: error });

function allow(caller: Caller, methodArn: string): APIGatewayAuthorizerResult {
  const context = toAuthorizerContext(caller);
  return { principalId: context['user'] ?? '', policyDocument: policy('Allow', methodArn), context };
}

/** The gateway turns a deny policy into 403, and an error into 401 or 500. */
function deny({ code }: CatalogError, methodArn: string): APIGatewayAuthorizerResult {
  if (code === 'FORBIDDEN') return { principalId: 'nobody', policyDocument: policy('Deny', methodArn) };
  // API Gateway responds with 401 to exactly the former message, and with 500 to any other.
  // Lambda logs this error's message, so it must not reveal the cause. The observation above records the cause.
  throw new Error(code === 'UNAUTHORIZED' ? 'Unauthorized' : 'The token could not be checked');
}

/** A policy for the whole stage: `arn:…:<api>/<stage>/<method>/<path>` becomes `arn:…:<api>/<stage>/*`. */
function policy(effect: 'Allow' | 'Deny', methodArn: string): APIGatewayAuthorizerResult['policyDocument'] {
  const stage = methodArn.split('/').slice(0, 2).join('/');
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: `${stage}/*` }],
  };
}
