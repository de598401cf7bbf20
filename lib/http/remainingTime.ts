import type { Context } from 'aws-lambda';
import { longestCall } from '../catalog/catalogStore.ts';

/** How long before its function would be stopped a call ends, in milliseconds: time to answer. */
const closingTime = 500;

/** How long a function that was just called may work, in milliseconds. */
export const remainingTime = (context: Context): number =>
  Math.min(longestCall, context.getRemainingTimeInMillis() - closingTime);
