import { readChangeCounter, skipUpdate } from '../../lib/changes/changeRecord.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import { updateRecord } from '../../lib/store/database/writes.ts';
import { changeKeys, changesTable } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';

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
