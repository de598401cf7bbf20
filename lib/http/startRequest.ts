import { type Caller, fromAuthorizerContext, hasPermission, type Permission } from '../access/caller.ts';
import type { OpenStore } from '../catalog/catalogStore.ts';
import { deadlineOf, type RequestContext, timedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError } from '../item/errors.ts';
import { headerValues } from './headers.ts';
import { type Reads, reads } from './middleware.ts';

export interface StartedRequest<Store> {
  readonly caller: Caller;
  readonly request: RequestContext;
  readonly store: Store;
}

export interface StartDependencies<Store> {
  readonly openStore: OpenStore<Store>;
  readonly now: () => EpochMs;
  readonly newWriteId: () => string;
}

/**
 * Reads the caller from the authorizer's context, which is the only trusted source, and checks what a cached policy
 * cannot: that the token has not expired since, and that it permits the operation (spec 5).
 * @param permission null means that none is needed
 */
export const startRequest = <Store>(
  permission: Permission | null,
  { openStore, now, newWriteId }: StartDependencies<Store>,
): Reads<StartedRequest<Store>> =>
  reads((event, lambda) => {
    const started = now();
    if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
    const caller = fromAuthorizerContext(event?.requestContext?.authorizer, started);
    if (permission !== null && !hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
    const { account, user, issuer } = caller;
    const timed = timedContext(deadlineOf(started, lambda.getRemainingTimeInMillis()));
    const request: RequestContext = { ...timed, account, user, issuer, writeId: newWriteId() };
    return { caller, request, store: openStore(request) };
  });
