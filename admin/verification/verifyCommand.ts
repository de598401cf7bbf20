import { findTable, placeText } from '../../cli/findStack.ts';
import { CommandError, print } from '../../cli/print.ts';
import { type AdminIO, type AdminProgram, confirming } from '../adminProgram.ts';
import { rateOption, tableOption } from '../options.ts';
import { openTable } from '../table/openTable.ts';
import { printFindings } from './verifyTable.ts';

const description = `Checks that a table is consistent: every identifier of an item has a guard, every guard has its item, no identifier is used twice, no id is above its counter, every item is listed under its name, every record can be read, and every token matches its entry in the account's list.

The service can keep running: a record that changes during the scan is checked again before it is reported. An identifier that is written during each of three checks is left to the next run.`;

const permissions = `
For a deployed table you need cloudformation:DescribeStacks on the stack and, on the table, dynamodb:Scan,
dynamodb:GetItem and dynamodb:Query; with --repair also dynamodb:ConditionCheckItem, dynamodb:PutItem,
dynamodb:DeleteItem and dynamodb:UpdateItem. Without --repair nothing is written.`;

/** So many guards of items that do not exist are repaired without a question. */
const few = 5;

export function addVerifyCommand(admin: AdminProgram, { ask }: AdminIO): void {
  admin
    .command('verify')
    .summary('Checks that a table is consistent, and repairs it.')
    .description(description)
    .addOption(tableOption('check another table in the same place, such as one restored from a backup'))
    .option(
      '--repair',
      'repair guards, counters, revisions and lists, for example after a restore from a backup; you must ' +
        'still decide which item keeps a duplicate identifier, and what to do about unreadable records, tokens and lost data',
    )
    .option('--lost-too', `free the identifiers of more than ${few} items that do not exist, without a question`)
    .addOption(rateOption())
    .addHelpText('after', permissions)
    .action(async ({ table, repair = false, lostToo = false, rate }, command) => {
      const { env, json = false } = command.optsWithGlobals();
      const location = await findTable(env, table);
      const place = placeText(env, location.awsAccount);
      const allowLoss = async (guards: number) => {
        if (!lostToo && guards > few) await confirmLoss(confirming(ask, place), guards);
      };
      const work = { repairs: repair, rate };
      const printLine = json ? () => undefined : print;
      const verification = await printFindings(openTable(location), work, printLine, allowLoss);
      if (json) print(JSON.stringify(verification));
      process.exitCode = verification.remaining === 0 ? 0 : 1;
    });
}

/** @throws CommandError unless somebody at a terminal types their number */
async function confirmLoss(confirm: ReturnType<typeof confirming>, guards: number): Promise<void> {
  const found = `${guards} guards reserve identifiers for items that do not exist`;
  if (process.stdin.isTTY !== true)
    throw new CommandError(`Nothing was repaired, because ${found}: restore these, or add --lost-too.`);
  await confirm(`${found}. Type ${guards} to free them for other items: `, String(guards), 'repaired');
}
