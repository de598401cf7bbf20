import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { Call } from '../catalog/catalogStore.ts';
import { startWork } from '../catalog/catalogStore.ts';
import { timeToWork } from './remainingTime.ts';

/**
 * Makes the request one that the catalog can serve: on the caller's behalf, and within the function's time.
 * @param now milliseconds since 1970
 * @param unique a text that no other call gives
 */
export const startCall = (
  now: () => number,
  unique: () => string,
): MiddlewareObj<APIGatewayProxyEvent & { caller: Caller; call: Call }> => ({
  before: ({ event, context }) => {
    const { account, user } = event.caller;
    event.call = { ...startWork(now() + timeToWork(context)), account, user, stamp: unique() };
  },
});
