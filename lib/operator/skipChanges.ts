import type { Database } from '../store/database/database.ts';
import { isDone } from '../store/database/failures.ts';
import { getRecord } from '../store/database/reads.ts';
import { updateRecord } from '../store/database/writes.ts';
import { readChangeCounter, skipUpdate } from '../store/records/changeRecord.ts';
import { changeKeys, changesTable } from '../store/records/keys.ts';
import { operatorSession } from './operatorSession.ts';

/**
 * Tells everybody who follows the changes of an account that some were lost: whoever goes on from an earlier place gets
 * `CHANGES_EXPIRED`, and begins again. Changes that are recorded later are not affected.
 * @param database the table with everything else
 */
export async function skipChanges(database: Database, account: string): Promise<void> {
  const session = operatorSession(database.beside(changesTable(database.table)), account);
  const attempts = session.attempts();
  for (;;) {
    const counter = readChangeCounter(await getRecord(session, changeKeys.counter(account)));
    const update = skipUpdate(account, counter, session.clock.now());
    // If it is done twice, one more number is left out.
    if (await isDone(updateRecord(session, update, { idempotent: true }))) return;
    await attempts.backOff('moved', new Error('Changes were recorded meanwhile'));
  }
}
