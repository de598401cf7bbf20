import type { Context } from 'aws-lambda';
import { timeouts } from '../catalog/timeouts.ts';

/** How much time an invocation that has just started has for its request, in milliseconds. */
export const remainingTime = (context: Context): number =>
  Math.min(timeouts.request, context.getRemainingTimeInMillis() - timeouts.closing);
