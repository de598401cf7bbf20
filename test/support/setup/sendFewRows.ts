import { limits } from '../../../lib/item/limits.ts';

/**
 * Lets the client send at most five rows at once, so that few are several batches. This holds for the test file, which
 * has modules of its own. Call it once the service has started, which then still takes 50.
 */
export function sendFewRows(): void {
  Object.assign(limits.rows, { max: 5 });
}
