import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { RequestContext } from '../catalog/catalogStore.ts';
import { timedContext } from '../catalog/catalogStore.ts';
import { remainingTime } from './remainingTime.ts';

/**
 * Makes the request one that the catalog can serve: on the caller's behalf, and within the function's time.
 * @param now milliseconds since 1970
 * @param newWriteId a text that no other call gives
 */
export const startCall = (
  now: () => number,
  newWriteId: () => string,
): MiddlewareObj<APIGatewayProxyEvent & { caller: Caller; call: RequestContext }> => ({
  before: ({ event, context }) => {
    const { account, user } = event.caller;
    event.call = { ...timedContext(now() + remainingTime(context)), account, user, writeId: newWriteId() };
  },
});
