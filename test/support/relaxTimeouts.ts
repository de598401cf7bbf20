import { timeouts } from '../../lib/catalog/timeouts.ts';

/**
 * Lets a client's request, and each of those to DynamoDB, take nearly as long as the gateway waits, so that a busy
 * machine does not look like a database out of reach. For this process, as the code reads each limit when it needs it.
 * @returns restores them
 */
export function relaxTimeouts(): () => void {
  const own = { ...timeouts };
  const invocation = timeouts.integration - 1_000;
  const request = invocation - timeouts.responseMargin;
  Object.assign(timeouts, { function: invocation, request, databaseRequest: request, connection: request });
  return () => void Object.assign(timeouts, own);
}
