import { timeouts } from '../../../lib/catalog/timeouts.ts';

/**
 * Lets a request, and each of its messages, take nearly as long as the gateway waits, so that a busy machine does not
 * look like a database that is out of reach. This holds for the test file, which has modules of its own, or the program.
 * The code reads each limit when it needs it.
 */
export function relaxTimeouts(): void {
  const invocation = timeouts.integration - 1_000;
  const request = invocation - timeouts.responseMargin;
  Object.assign(timeouts, { function: invocation, request, databaseRequest: request, connection: request });
}
