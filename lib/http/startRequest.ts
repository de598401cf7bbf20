import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type Caller, fromAuthorizerContext, hasPermission } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import { deadlineOf, type RequestContext, timedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError } from '../item/errors.ts';
import { headerValues } from './headers.ts';
import type { Observation } from './observation.ts';

/** The caller of a request, and the context that the catalog handles it in. */
export interface StartedRequest {
  readonly caller: Caller;
  readonly context: RequestContext;
}

/** Lambda's context, in which middleware hands the request on to the handler, as is usual with middy. */
export interface HandlerContext extends Context {
  /** Undefined until {@link startRequest} has completed. */
  request?: StartedRequest;
  /** What the handler adds to the observation of the request. */
  observed?: Partial<Observation> | undefined;
}

interface StartRequestOptions {
  /** Null means that no permission is needed. */
  readonly permission: Permission | null;
  readonly now: () => EpochMs;
  /** Returns an id that is unique to this request. */
  readonly newWriteId: () => string;
}

/**
 * Reads the caller from the authorizer's context, which is the only trusted source, and checks what a cached policy
 * cannot: that the token has not expired since, and that it permits the operation (spec 5).
 */
export const startRequest = ({
  permission,
  now,
  newWriteId,
}: StartRequestOptions): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, HandlerContext> => ({
  before: ({ event, context }) => {
    if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
    const caller = fromAuthorizerContext(event?.requestContext?.authorizer, now());
    if (permission !== null && !hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
    const { account, user, issuer } = caller;
    const timed = timedContext(deadlineOf(now(), context.getRemainingTimeInMillis()));
    context.request = { caller, context: { ...timed, account, user, issuer, writeId: newWriteId() } };
  },
});
