import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { printError } from '../../cli/print.ts';
import { usageError } from '../../cli/program.ts';
import { showProgress } from '../../cli/showProgress.ts';
import type { Account } from '../../lib/item/account.ts';
import { type AdminProgram, type OnTable, type Output, recoveryText } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { rateOption, requiredAccount } from '../options.ts';
import { isBeingDeleted, listAccounts, openAccount, showAccount } from './accounts.ts';
import { closingTime, deleteAccount, type Removed } from './deleteAccount.ts';
import { removeCategories, unusedCategories } from './removeCategories.ts';

export function addAccountCommands(admin: AdminProgram, on: OnTable): void {
  const accounts = admin.command('account').description('Opens, shows, lists and deletes accounts.');
  accounts
    .command('show')
    .description('Shows the defaults, categories and units of an account.')
    .addOption(requiredAccount())
    .action((values, command) =>
      on(command, async ({ session }) => accountOutput(await showAccount(session, values.account))),
    );
  accounts
    .command('open')
    .description('Opens an account, unless it is open. Categories, units and defaults are then configured over HTTP.')
    .addOption(requiredAccount())
    .action(({ account: id }, command) =>
      on(command, async ({ session }) => {
        const opened = await openAccount(session, id);
        const text = `The account ${id} ${opened ? 'was opened' : 'is open already'}.`;
        return { text, data: { account: id, opened } };
      }),
    );
  accounts
    .command('apply', { hidden: true })
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw usageError(
        "The command 'account apply' was removed: 'account open' opens an account, and everything else is configured over HTTP (docs/accounts.md#open-an-account)",
      );
    });
  addListCommand(accounts, on);
  addRemoveCategoriesCommand(accounts, on);
  addDeleteCommand(accounts, on);
}

function addListCommand(accounts: CommandUnknownOpts, on: OnTable): void {
  accounts
    .command('list')
    .description('Lists the ids of all accounts, and names those whose deletion is not done. Reads the whole table.')
    .addOption(rateOption())
    .action((_, command) =>
      on(command, async (table) => {
        const { open, beingDeleted } = await listAccounts(table);
        for (const id of beingDeleted) printError(isBeingDeleted(id));
        if (beingDeleted.length > 0) process.exitCode = 1;
        return { text: open.join('\n'), data: open };
      }),
    );
}

function addRemoveCategoriesCommand(accounts: CommandUnknownOpts, on: OnTable): void {
  accounts
    .command('remove-categories')
    .description('Removes the archived categories that no item has. Reads all items of the account.')
    .addOption(requiredAccount())
    .option('--dry-run', 'only list the categories')
    .addOption(rateOption())
    .action(({ account: id, dryRun: isDryRun = false }, command) =>
      on(command, async (table) => {
        const unused = await unusedCategories(table, id);
        const ids = [...unused.keys()];
        const list = columns([['id', 'name'], ...unused]);
        if (isDryRun || ids.length === 0)
          return {
            text: `${list}\n\nCategories to remove: ${ids.length}.`,
            data: { isDryRun, removed: [], left: ids },
          };
        const question = `These categories will be removed, after ${closingTime / 1_000} s. Type the account's id to remove them: `;
        await table.confirm(`${list}\n\n${question}`, id, 'removed');
        const removed = await removeCategories(table, id, ids);
        const left = ids.filter((category) => !removed.includes(category));
        const others =
          left.length === 0 ? '' : ` Kept, because they were changed or used meanwhile: ${left.join(', ')}.`;
        return { text: `Categories removed: ${removed.length}.${others}`, data: { isDryRun, removed, left } };
      }),
    );
}

function addDeleteCommand(accounts: CommandUnknownOpts, on: OnTable): void {
  accounts
    .command('delete')
    .description('Deletes an account with all its records. Can be interrupted, and repeated to continue.')
    .addOption(requiredAccount())
    .addOption(rateOption())
    .action(({ account: id }, command) =>
      on(command, async (table) => {
        const seconds = closingTime / 1_000;
        const question = `All records and tokens of the account ${id} will be deleted, after ${seconds} s. Type its id to delete it: `;
        await table.confirm(question, id);
        const removed: Removed = {};
        await showProgress(
          () => countsText(removed) || `waiting ${seconds} s until nobody can write to it`,
          () => deleteAccount(table, id, removed),
        );
        const text = `The account ${id} was deleted: ${countsText(removed) || 'it had no other records'}. ${recoveryText(table)}`;
        return { text, data: { account: id, removed } };
      }),
    );
}

const countsText = (removed: Removed): string =>
  Object.entries(removed)
    .map(([kind, count]) => `${count} of the kind ${kind}`)
    .join(', ');

function accountOutput(found: Account): Output {
  const { id: account, defaultCategory, defaultTax } = found;
  const categories = [...found.categories].map(([id, values]) => ({ id, ...values })).sort((a, b) => a.id - b.id);
  const units = [...found.units].map(([unit, decimals]) => ({ unit, decimals }));
  const tables = [
    [
      ['account', account],
      ['default category', defaultCategory ?? 'none'],
      ['default tax', defaultTax],
    ],
    [
      ['id', 'state', 'name'],
      ...categories.map(({ id, archived, name }) => [id, archived ? 'archived' : 'open', name]),
    ],
    [['unit', 'decimals'], ...found.units],
  ];
  const data = { account, defaultCategory, defaultTax, categories, units };
  return { text: tables.map(columns).join('\n\n'), data };
}
