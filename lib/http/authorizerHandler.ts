import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
  Context,
} from 'aws-lambda';
import type { TokenStore } from '../access/authorize.ts';
import { authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import { toAuthorizerContext } from '../access/caller.ts';
import { timedContext } from '../catalog/requestContext.ts';
import { headerValues } from './headers.ts';
import type { Observe } from './observation.ts';
import { remainingTime } from './remainingTime.ts';

type AuthorizerEvent = APIGatewayRequestAuthorizerEvent | APIGatewayTokenAuthorizerEvent;

/** What the authorizer works with. */
export interface AuthorizerDependencies {
  readonly tokens: TokenStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly observe: Observe;
}

/** API Gateway answers 401 when an authorizer fails with exactly this text, and 500 on any other failure. */
const unauthorized = 'Unauthorized';

/**
 * The Lambda authorizer, of type REQUEST or TOKEN: whoever has a valid token is let in to the whole stage, with the
 * caller in the context; the handlers check what it permits. The gateway keeps the answer for a token and uses it for
 * other routes, so a policy for one route would refuse the next.
 */
export const authorizerHandler =
  ({ tokens, now, observe }: AuthorizerDependencies) =>
  async (event: AuthorizerEvent, context: Context): Promise<APIGatewayAuthorizerResult> => {
    const started = now();
    const work = timedContext(started + remainingTime(context));
    const values = event.type === 'TOKEN' ? [event.authorizationToken] : headerValues(event, 'authorization');
    const tell = (status: 200 | 401 | 500, caller?: Caller, cause?: unknown): void =>
      observe({
        requestId: event.type === 'TOKEN' ? context.awsRequestId : event.requestContext.requestId,
        operation: 'authorizer',
        account: caller?.account,
        status,
        code: status === 200 ? undefined : status === 401 ? 'UNAUTHORIZED' : 'INTERNAL_ERROR',
        replayed: false,
        duration: now() - started,
        stats: work.stats,
        cause,
      });
    const caller = await authorize(tokens, work, values, started).catch((error: unknown) => {
      tell(500, undefined, error);
      // Lambda logs what is thrown here, message and all; the line above has told what may be told.
      throw new Error('The token could not be checked');
    });
    tell(caller === undefined ? 401 : 200, caller);
    if (caller === undefined) throw new Error(unauthorized);
    return allow(caller, event.methodArn);
  };

const allow = (caller: Caller, methodArn: string): APIGatewayAuthorizerResult => ({
  principalId: caller.user,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: wholeStage(methodArn) }],
  },
  context: toAuthorizerContext(caller),
});

/** `arn:…:<api>/<stage>/<method>/<path>` becomes `arn:…:<api>/<stage>/*`. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/').slice(0, 2).join('/')}/*`;
