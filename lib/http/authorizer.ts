import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
  Context,
} from 'aws-lambda';
import type { TokenStore } from '../access/authorize.ts';
import { authorize } from '../access/authorize.ts';
import { toContext } from '../access/caller.ts';
import { startWork } from '../item/catalog.ts';
import { headerValues } from './headers.ts';
import { timeToWork } from './operation.ts';

type AuthorizerEvent = APIGatewayRequestAuthorizerEvent | APIGatewayTokenAuthorizerEvent;

/** API Gateway answers 401 when an authorizer fails with exactly this text, and 500 on any other failure. */
const unauthorized = 'Unauthorized';

/**
 * The Lambda authorizer, of type REQUEST or TOKEN: whoever has a valid token is let in to the whole stage, with the
 * caller in the context; the handlers check what it permits. The gateway keeps the answer for a token and uses it for
 * other routes, so a policy for one route would refuse the next.
 */
export const authorizerHandler =
  ({ tokens, now }: { tokens: TokenStore; now: () => number }) =>
  async (event: AuthorizerEvent, context: Context): Promise<APIGatewayAuthorizerResult> => {
    const work = startWork(now() + timeToWork(context));
    const values = event.type === 'TOKEN' ? [event.authorizationToken] : headerValues(event, 'authorization');
    const caller = await authorize(tokens, work, values, now());
    if (caller === undefined) throw new Error(unauthorized);
    return {
      principalId: caller.user,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: wholeStage(event.methodArn) }],
      },
      context: toContext(caller),
    };
  };

/** `arn:…:<api>/<stage>/<method>/<path>` becomes `arn:…:<api>/<stage>/*`. */
const wholeStage = (methodArn: string): string => `${methodArn.split('/').slice(0, 2).join('/')}/*`;
