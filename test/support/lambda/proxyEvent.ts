import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from '../../../lib/access/caller.ts';
import { gatewayEvent } from './gatewayEvent.ts';

/** A Lambda context with enough time. */
export const lambdaContext = (remaining = 10_000) =>
  ({ awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => remaining }) as Context;

/** A caller of an account with all permissions, for an hour. */
export const testCaller = (account: string, caller: Partial<Caller> = {}): Caller => ({
  account,
  user: 'user-1',
  permissions: ['catalog:edit', 'catalog:cost:read'],
  expiresAt: Math.floor(Date.now() / 1000) + 3_600,
  ...caller,
});

interface ProxyRequest {
  readonly caller: Caller;
  /** Sent as JSON, and passed in base64. */
  readonly body: object;
  readonly id?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request whose body is an object, as API Gateway passes it. */
export const proxyEvent = ({ caller, body, id, headers = {} }: ProxyRequest): APIGatewayProxyEvent =>
  gatewayEvent({
    caller,
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: true,
    id: id === undefined ? undefined : String(id),
    headers,
  });
