import { usageError } from '../../cli/program.ts';
import { readChangeCounter, skipUpdate } from '../../lib/changes/changeRecord.ts';
import { type Database, getRecord } from '../../lib/store/database/database.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { updateRecord } from '../../lib/store/database/writes.ts';
import { changeKeys, changesTable } from '../../lib/store/records/keys.ts';
import { listAccounts, showAccount } from '../accounts/accounts.ts';
import type { AdminProgram, OnTable } from '../adminProgram.ts';
import { accountOption, rateOption } from '../options.ts';
import { operatorSession } from '../table/operatorSession.ts';

export function addChangesCommand(admin: AdminProgram, on: OnTable): void {
  admin
    .command('changes')
    .description('Corrects the change feed.')
    .command('skip')
    .description('Marks changes as lost: readers at an earlier place get 410 CHANGES_EXPIRED, and start over.')
    .addOption(accountOption())
    .option('--all', 'all accounts; reads the whole table')
    .addOption(rateOption())
    .action(({ account, all = false }, command) =>
      on(command, async (table) => {
        const { database, limiter } = table;
        if ((account === undefined) !== all) throw usageError("Give either '--account' or '--all'");
        if (account !== undefined) await showAccount(operatorSession(database, account), account);
        const accounts = account === undefined ? (await listAccounts(table)).open : [account];
        for (const account of accounts) await limiter.run(2, () => skipChanges(database, account));
        return { text: `Readers of the changes of ${accounts.join(', ')} start over.`, data: { accounts } };
      }),
    );
}

/**
 * Makes all readers of an account's changes start over. Changes that are recorded later are not affected.
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
