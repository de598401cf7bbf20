import type { TimedContext } from '../catalog/requestContext.ts';
import type { Session } from '../store/database/database.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import { getRecord } from '../store/database/reads.ts';
import { transact } from '../store/database/writes.ts';
import { changeKeys } from '../store/records/keys.ts';
import { changeParts, counterPart, readChangeCounter, type StreamedWrite } from './changeRecord.ts';

/** Number of writes in one call, for a transaction that has at most 100 parts and 4 MB. */
export const largestAppend = 25;

/**
 * Records writes of an account's items as its next changes, unless they were recorded before, or the account was deleted
 * after them.
 * @param writes in the order of the stream, at most {@link largestAppend}
 */
export async function appendChanges(
  session: Session<TimedContext>,
  account: string,
  writes: readonly StreamedWrite[],
  days: number,
): Promise<void> {
  const attempts = session.attempts();
  let counter = readChangeCounter(await getRecord(session, changeKeys.counter(account)));
  let left = writes;
  for (;;) {
    const closedUntil = counter.closed_until ?? 0;
    left = left.filter(({ streamedAt }) => streamedAt > closedUntil);
    if (left.length === 0) return;
    try {
      return await transact(session, changeParts(account, counter, left, { now: session.clock.now(), days }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      left = left.filter(({ sequence }) => !error.failed(sequence));
      if (error.failed(counterPart)) counter = readChangeCounter(error.stored(counterPart));
      await attempts.backOff('moved', error);
    }
  }
}
