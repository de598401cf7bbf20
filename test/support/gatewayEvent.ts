import type { APIGatewayProxyEvent } from 'aws-lambda';
import { toContext } from '../../lib/access/caller.ts';
import type { Permission } from '../../lib/access/permissions.ts';
import { permissions } from '../../lib/access/permissions.ts';

/** When the events arrive, in milliseconds since 1970. */
export const arrivalTime = Date.UTC(2026, 10, 21, 12);

interface EventParts {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly permissions?: readonly Permission[];
}

/** A request with exactly this body, as API Gateway passes it on, of a caller with all permissions unless the parts say otherwise. */
export function gatewayEvent(parts: EventParts = {}): APIGatewayProxyEvent {
  const headers = { 'Content-Type': 'application/json', ...parts.headers };
  const caller = { account: 'acme', user: 'ann', permissions: parts.permissions ?? permissions };
  return {
    body: parts.body ?? null,
    isBase64Encoded: parts.isBase64Encoded ?? false,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pathParameters: parts.id === undefined ? null : { id: parts.id },
    requestContext: {
      requestId: 'request-1',
      authorizer: { ...toContext({ ...caller, expiresAt: arrivalTime / 1000 + 60 }), principalId: 'ann' },
    },
  } as unknown as APIGatewayProxyEvent;
}
