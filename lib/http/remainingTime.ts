import type { Context } from 'aws-lambda';
import { timeouts } from '../catalog/timeouts.ts';

/** The time budget for a request, in milliseconds, when its invocation has just started. */
export const remainingTime = (context: Context): number =>
  Math.min(timeouts.request, context.getRemainingTimeInMillis() - timeouts.responseMargin);
