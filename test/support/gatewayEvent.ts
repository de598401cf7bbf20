import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Caller, toAuthorizerContext } from '../../lib/access/caller.ts';
import { type Permission, permissions } from '../../lib/access/permissions.ts';

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
  return {
    body: parts.body ?? null,
    isBase64Encoded: parts.isBase64Encoded ?? false,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pathParameters: parts.id === undefined ? null : { id: parts.id },
    queryStringParameters: parts.query ?? null,
    multiValueQueryStringParameters:
      parts.query === undefined
        ? null
        : Object.fromEntries(Object.entries(parts.query).map(([name, value]) => [name, [value]])),
    requestContext: {
      requestId: 'request-1',
      authorizer: { ...toAuthorizerContext(caller), principalId: caller.user },
    },
  } as unknown as APIGatewayProxyEvent;
}
