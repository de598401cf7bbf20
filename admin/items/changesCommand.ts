import { usageError } from '../../cli/options.ts';
import { showAccount } from '../accounts/accounts.ts';
import { listAccounts } from '../accounts/listAccounts.ts';
import type { AdminProgram, TableActionOn } from '../adminProgram.ts';
import { accountOption, rateOption, segmentsOption } from '../options.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { skipChanges } from './skipChanges.ts';

export function addChangesCommand(admin: AdminProgram, onTable: TableActionOn): void {
  admin
    .command('changes')
    .description('Tells those who follow the changes of items what became of these.')
    .command('skip')
    .description(
      'Says that changes were lost: whoever follows them from an earlier place gets 410 CHANGES_EXPIRED, and begins again.',
    )
    .addOption(accountOption())
    .option('--all', 'of all accounts; reads the whole table')
    .addOption(segmentsOption())
    .addOption(rateOption())
    .action(
      onTable(async ({ source, database }, { account, all = false, segments, rate }) => {
        if ((account === undefined) !== all) throw usageError("Give either '--account' or '--all'");
        if (account !== undefined) await showAccount(operatorSession(database, account), account);
        const pace = { segments, limiter: new RateLimiter(rate, database.clock) };
        const accounts = account === undefined ? (await listAccounts(source, pace)).open : [account];
        for (const one of accounts) await pace.limiter.run(2, () => skipChanges(database, one));
        return { text: `Whoever follows the changes of ${accounts.join(', ')} begins again.`, data: { accounts } };
      }),
    );
}
