import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import { fromAuthorizerContext, hasPermission } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import type { RequestContext } from '../catalog/requestContext.ts';
import { timedContext } from '../catalog/requestContext.ts';
import { CatalogError } from '../item/errors.ts';
import { headerValues } from './headers.ts';
import { remainingTime } from './remainingTime.ts';

/** The caller of a request, and the context that the catalog handles it in. */
export interface StartedRequest {
  readonly caller: Caller;
  readonly context: RequestContext;
}

interface StartRequestOptions {
  /** Null means that no permission is needed. */
  readonly permission: Permission | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Returns an id that is unique to this request. */
  readonly newWriteId: () => string;
}

/** Keyed by the invocation's Lambda context, so that the event stays unmodified. */
const requests = new WeakMap<Context, StartedRequest>();

/**
 * Reads the caller from the authorizer's context, which is the only trusted source, and checks what a cached policy
 * cannot: that the token has not expired since, and that it permits the operation (spec 5).
 */
export const startRequest = ({
  permission,
  now,
  newWriteId,
}: StartRequestOptions): MiddlewareObj<APIGatewayProxyEvent> => ({
  before: ({ event, context }) => {
    if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
    const caller = fromAuthorizerContext(event?.requestContext?.authorizer, now());
    if (permission !== null && !hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
    const { account, user } = caller;
    const timed = timedContext(now() + remainingTime(context));
    requests.set(context, { caller, context: { ...timed, account, user, writeId: newWriteId() } });
  },
});

/** The request of an invocation; undefined if it failed before {@link startRequest} completed. */
export const startedRequest = (context: Context): StartedRequest | undefined => requests.get(context);
