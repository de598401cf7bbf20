import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommandError } from '../../cli/commandError.ts';
import { printError } from '../../cli/print.ts';
import { showProgress } from '../../cli/showProgress.ts';
import type { Account } from '../../lib/item/account.ts';
import { type ActionOn, type AdminProgram, type Output, recoveryText } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { accountOption, rateOption, segmentsOption } from '../options.ts';
import { timedSession } from '../table/operatorSession.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { parseDocument } from './accountDocument.ts';
import { isBeingDeleted, listAccounts, showAccount } from './accounts.ts';
import { applyAccount } from './applyAccount.ts';
import { closingTime, deleteAccount, type Removed } from './deleteAccount.ts';
import { type AccountChange, type AccountPlan, shownState } from './planAccount.ts';

const account = () => accountOption().makeOptionMandatory();

export function addAccountCommands(admin: AdminProgram, on: ActionOn): void {
  const accounts = admin.command('account').description('Opens, configures, shows, lists and deletes accounts.');
  accounts
    .command('show')
    .description('Shows the defaults, categories and units of an account; with --json, as a document for apply.')
    .addOption(account())
    .action(on(async ({ session }, values) => accountOutput(await showAccount(session, values.account))));
  accounts
    .command('apply')
    .description('Opens or changes an account until it is as a document says, which account.schema.json describes.')
    .argument('<file>', 'the document as JSON; - reads it from standard input')
    .option('--dry-run', 'only show what would be changed')
    .action(
      on(async ({ database }, { dryRun: isDryRun = false }, file: string) => {
        const document = parseDocument(await readJson(file));
        // The command's time begins here: a person may have typed the document.
        const renew = () => timedSession(database);
        return planOutput(document.account, await applyAccount(renew(), document, { isDryRun, renew }), isDryRun);
      }),
    );
  addListCommand(accounts, on);
  addDeleteCommand(accounts, on);
}

function addListCommand(accounts: CommandUnknownOpts, on: ActionOn): void {
  accounts
    .command('list')
    .description('Lists the ids of all accounts, and names those whose deletion is not done. Reads the whole table.')
    .addOption(segmentsOption())
    .addOption(rateOption())
    .action(
      on(async ({ source, database }, { segments, rate }) => {
        const pace = { segments, limiter: new RateLimiter(rate, database.clock) };
        const { open, beingDeleted } = await listAccounts(source, pace);
        for (const id of beingDeleted) printError(isBeingDeleted(id));
        if (beingDeleted.length > 0) process.exitCode = 1;
        return { text: open.join('\n'), data: open };
      }),
    );
}

function addDeleteCommand(accounts: CommandUnknownOpts, on: ActionOn): void {
  accounts
    .command('delete')
    .description('Deletes an account with all its records. Can be interrupted, and repeated to go on.')
    .addOption(account())
    .addOption(segmentsOption())
    .addOption(rateOption())
    .action(
      on(async (table, { account: id, segments, rate }) => {
        const seconds = closingTime / 1_000;
        const question = `All records and tokens of the account ${id} will be deleted, after ${seconds} s. Type its id to delete it: `;
        await table.confirm(question, id);
        const removed: Removed = {};
        const endProgress = showProgress(
          () => countsText(removed) || `waiting ${seconds} s until nobody can write to it`,
        );
        const pace = { segments, limiter: new RateLimiter(rate, table.database.clock) };
        await deleteAccount(table, id, pace, removed).finally(endProgress);
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
  const data = { account, defaultCategory, defaultTax, categories, units, shown: shownState(found) };
  return { text: tables.map(columns).join('\n\n'), data };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await text(file === '-' ? process.stdin : createReadStream(file)));
  } catch (cause) {
    throw new CommandError(`The document ${file} cannot be read: ${(cause as Error).message}.`, 1, { cause });
  }
}

function planOutput(id: string, plan: AccountPlan, isDryRun: boolean): Output {
  const { changes, kept } = plan;
  const left = [
    ...kept.defaults.map((name) => (name === 'defaultTax' ? 'the default tax' : 'the default category')),
    ...kept.categories.map((category) => `category ${category}`),
    ...kept.units.map((unit) => `unit ${unit}`),
  ];
  const verb = isDryRun ? 'Would be done' : 'Done';
  const lines = [
    ...(changes.length === 0 ? [`There is nothing to change in the account ${id}.`] : []),
    ...changes.map((change) => `${verb}: ${changeText(id, change)}.`),
    ...(left.length === 0 ? [] : [`Left out of the document, and kept: ${left.join(', ')}.`]),
  ];
  return { text: lines.join('\n'), data: { account: id, isDryRun, ...plan } };
}

/** Continues "Done: ". */
function changeText(account: string, change: AccountChange): string {
  switch (change.change) {
    case 'open account':
      return `open the account ${account}`;
    case 'add unit':
      return `add the unit ${change.unit} with ${change.decimals} decimals`;
    case 'add category':
      return `add the category ${change.id} ${change.name}${change.archived ? ', archived' : ''}`;
    case 'change category': {
      const { id, from, to } = change;
      const archiving = from.archived === to.archived ? [] : [`make it ${to.archived ? 'archived' : 'open'}`];
      return `category ${id}: ${[...valueText('rename it', from.name, to.name), ...archiving].join(', ')}`;
    }
    case 'set defaults': {
      const { from, to } = change;
      const category = valueText('category', from.category ?? 'none', to.category ?? 'none');
      return `set the default ${[...category, ...valueText('tax', from.tax, to.tax)].join(' and the default ')}`;
    }
  }
}

/** Empty if the value stays the same. */
const valueText = (what: string, from: string | number, to: string | number): string[] =>
  from === to ? [] : [`${what} from ${from} to ${to}`];
