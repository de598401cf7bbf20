import type { Context } from 'aws-lambda';
import { timeouts } from '../catalog/timeouts.ts';

/** How long an invocation that has just begun may work on its request, in milliseconds. */
export const remainingTime = (context: Context): number =>
  Math.min(timeouts.request, context.getRemainingTimeInMillis() - timeouts.closing);
