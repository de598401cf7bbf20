import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type Caller, fromAuthorizerContext, hasPermission } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import { deadlineOf, type RequestContext, timedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError } from '../item/errors.ts';
import { headerValues } from './headers.ts';

export interface StartedRequest {
  readonly caller: Caller;
  readonly context: RequestContext;
}

/**
 * Reads the caller from the authorizer's context, which is the only trusted source, and checks what a cached policy
 * cannot: that the token has not expired since, and that it permits the operation (spec 5).
 * @param permission null means that none is needed
 * @param writeId unique to this request
 * @throws CatalogError `UNAUTHORIZED`, `FORBIDDEN`
 */
export function startRequest(
  event: APIGatewayProxyEvent,
  lambda: Context,
  permission: Permission | null,
  now: EpochMs,
  writeId: string,
): StartedRequest {
  if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
  const caller = fromAuthorizerContext(event?.requestContext?.authorizer, now);
  if (permission !== null && !hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
  const { account, user, issuer } = caller;
  const timed = timedContext(deadlineOf(now, lambda.getRemainingTimeInMillis()));
  return { caller, context: { ...timed, account, user, issuer, writeId } };
}
