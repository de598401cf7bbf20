import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from '../../lib/access/caller.ts';
import { toContext } from '../../lib/access/caller.ts';

/** A Lambda context with time enough. */
export const lambdaContext = (remaining = 10_000) =>
  ({ awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => remaining }) as Context;

/** A caller of an account who may do everything, for an hour. */
export const testCaller = (account: string, caller: Partial<Caller> = {}): Caller => ({
  account,
  user: 'user-1',
  permissions: ['catalog:edit', 'catalog:cost:read'],
  expiresAt: Math.floor(Date.now() / 1000) + 3_600,
  ...caller,
});

interface ProxyRequest {
  readonly caller: Caller;
  /** An object is sent as JSON, as API Gateway passes it on: in base64. */
  readonly body: object;
  readonly id?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What of API Gateway's event the handlers read. */
export const proxyEvent = ({ caller, body, id, headers = {} }: ProxyRequest) =>
  ({
    headers: { authorization: 'Bearer …', 'content-type': 'application/json', ...headers },
    multiValueHeaders: {},
    pathParameters: id === undefined ? null : { id: String(id) },
    requestContext: { requestId: 'request-1', authorizer: toContext(caller) },
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: true,
  }) as unknown as APIGatewayProxyEvent;
