import type { Context } from 'aws-lambda';

/** How long a request may take, and how long before its function would be stopped it ends, in milliseconds. */
const requestTime = 8_000;
const closingTime = 500;

/** How long a function that was just called may work, in milliseconds. */
export const timeToWork = (context: Context): number =>
  Math.min(requestTime, context.getRemainingTimeInMillis() - closingTime);
