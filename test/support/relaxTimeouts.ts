import { timeouts } from '../../lib/catalog/timeouts.ts';

/**
<<<<<<< HEAD
 * Lets a client's request, and each of those to DynamoDB, take nearly as long as the gateway waits, so that a busy
 * machine does not look like a database out of reach. For this process, as the code reads each limit when it needs it.
 * @returns restores them
=======
 * Lets a request, and each of its messages, take nearly as long as the gateway waits, so that a busy machine does not
 * look like a database that is out of reach. This holds for the test file, which has modules of its own, or the program.
 * The code reads each limit when it needs it.
>>>>>>> dedupe
 */
export function relaxTimeouts(): void {
  const invocation = timeouts.integration - 1_000;
  const request = invocation - timeouts.responseMargin;
  Object.assign(timeouts, { function: invocation, request, databaseRequest: request, connection: request });
}
