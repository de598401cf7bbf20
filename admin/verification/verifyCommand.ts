import { findTable } from '../../cli/findTable.ts';
import { print } from '../../cli/print.ts';
import type { AdminProgram } from '../adminProgram.ts';
import { rateOption, segmentsOption, tableOption } from '../options.ts';
import { openTable } from '../table/openTable.ts';
import { printFindings } from './printFindings.ts';

const description = `Checks that a table is consistent: every identifier of an item has a guard, every guard has its item, no identifier is used twice, no id is above its counter, every item is listed under its name, every record can be read and holds valid numbers, and every token matches its entry in the account's list.

The service can keep running: a record that changes during the scan is checked again before it is reported.`;

const permissions = `
For a deployed table you need cloudformation:DescribeStacks on the stack and, on the table, dynamodb:Scan,
dynamodb:GetItem and dynamodb:Query; with --repair also dynamodb:ConditionCheckItem, dynamodb:PutItem,
dynamodb:DeleteItem and dynamodb:UpdateItem. Without --repair nothing is written.`;

export function addVerifyCommand(admin: AdminProgram): void {
  admin
    .command('verify')
    .summary('Checks that a table is consistent, and repairs it.')
    .description(description)
    .addOption(tableOption('check another table in the same place, such as one restored from a backup'))
    .option(
      '--repair',
      'repair guards, counters, revisions and lists, for example after a restore from a backup; you must ' +
        'still decide which item keeps a duplicate identifier, and what to do about unreadable records, tokens, invalid ' +
        'numbers and lost data',
    )
    .addOption(segmentsOption())
    .addOption(rateOption())
    .addHelpText('after', permissions)
    .action(async ({ table, repair = false, ...pace }, command) => {
      const { env, json = false } = command.optsWithGlobals();
      const opened = openTable(await findTable(env, table));
      const verification = await printFindings(opened, { repairs: repair, ...pace }, json ? () => undefined : print);
      if (json) print(JSON.stringify(verification));
      process.exitCode = verification.remaining === 0 ? 0 : 1;
    });
}
