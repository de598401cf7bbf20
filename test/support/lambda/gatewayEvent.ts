import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { apiEvent } from '../../../admin/api/apiEvent.ts';
import { type Caller, type Permission, permissions, toAuthorizerContext } from '../../../lib/access/caller.ts';
import { operations } from '../../../lib/http/operations.ts';

/** When the events arrive, in milliseconds since 1970. */
export const arrivalTime = Date.UTC(2026, 10, 21, 12);

interface EventParts {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: string | undefined;
  /** The parameters of the query string, each sent once. */
  readonly query?: Readonly<Record<string, string>>;
  readonly permissions?: readonly Permission[];
  /** By default, one with these permissions, or with all, for a minute from {@link arrivalTime}. */
  readonly caller?: Caller;
}

/** The parts of API Gateway's event that the handlers read, for a request with exactly this body. */
export function gatewayEvent(parts: EventParts = {}): APIGatewayProxyEvent {
  const headers = { 'Content-Type': 'application/json', ...parts.headers };
  const ann = { account: 'acme', user: 'ann', permissions: parts.permissions ?? permissions };
  const caller = parts.caller ?? { ...ann, expiresAt: arrivalTime / 1000 + 60 };
  const path = `${operations.listItems.path}?${new URLSearchParams(parts.query)}`;
  const authorizer = { ...toAuthorizerContext(caller), principalId: caller.user };
  const { event } = apiEvent({ method: 'GET', path, headers }, authorizer);
  return {
    ...event,
    body: parts.body ?? null,
    isBase64Encoded: parts.isBase64Encoded ?? false,
    pathParameters: parts.id === undefined ? null : { id: parts.id },
    requestContext: { ...event.requestContext, requestId: 'request-1' },
  };
}

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
