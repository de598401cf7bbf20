import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import { fromAuthorizerContext, hasPermission } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import { CatalogError } from '../item/errors.ts';
import { headerValues } from './headers.ts';

/**
 * Takes the caller from the authorizer's context and checks what a cached policy cannot: that the token has not ended
 * since, and that it permits the operation (spec 5). Nothing else of the request says who calls.
 * @param now milliseconds since 1970
 */
export const requireCaller = (
  permission: Permission,
  now: () => number,
): MiddlewareObj<APIGatewayProxyEvent & { caller: Caller }> => ({
  before: ({ event }) => {
    if (headerValues(event ?? {}, 'authorization').length > 1) throw new CatalogError('UNAUTHORIZED');
    const caller = fromAuthorizerContext(event?.requestContext?.authorizer, now());
    if (!hasPermission(caller, permission)) throw new CatalogError('FORBIDDEN');
    event.caller = caller;
  },
});
