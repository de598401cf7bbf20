import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { printError, shellQuoted } from '../../cli/print.ts';
import { loadCatalog } from '../../client/http/catalogClient.ts';
import type { ImportState, RejectedRow, SheetForm, StateIn } from '../../client/import/importState.ts';
import { SheetImport } from '../../client/import/sheetImport.ts';
import { targets } from '../../client/sheet/columns.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import type { ActionOn, GivenTable, Output } from '../adminProgram.ts';
import { fileStorage } from '../api/fileStorage.ts';
import { operatorApi } from '../api/operatorApi.ts';
import { accountOption, rateOption } from '../options.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import {
  addedCategories,
  countsIn,
  countsText,
  ignoreLines,
  lookLines,
  optionsText,
  problemLines,
  progressText,
  takenLines,
  warningLines,
} from './importText.ts';
import { refuseJsonLines } from './jsonLines.ts';
import { questionsText, readItemFile, sheetIn, signs } from './readItemFile.ts';
import { keepRejects } from './rejects.ts';

/** A sign as it is said on the command line. */
const sign = z
  .string()
  .transform((text) => (Object.hasOwn(signs, text) ? signs[text as keyof typeof signs] : text))
  .refine((text) => text.length === 1, 'must be comma, semicolon, tab, or another character');

export function addImportCommand(items: CommandUnknownOpts, on: ActionOn): void {
  importCommand(items).action(on(importFile));
}

const importCommand = (items: CommandUnknownOpts) =>
  items
    .command('import')
    .description('Creates an item from each row of a sheet (CSV, .xlsx). Can be interrupted, and repeated to go on.')
    .argument('<file>', 'its progress is kept in FILE.progress, and rows that are rejected in FILE.rejects')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option(
        '--update-by <field>',
        'update the item that has the identifier of the row, or its id and revision',
      ).choices([...identifierNames, 'id'] as const),
    )
    .option('--update-only', 'refuse rows without an item to update')
    .addOption(valueOption('--again <name>', 'create items once more that equal rows have created today', z.string()))
    .addOption(
      new Option(
        '--without-price [what]',
        'what becomes of new items for which the sheet has no price: create them with 0, or leave them out',
      )
        .choices(['create', 'leave'] as const)
        .preset('create'),
    )
    .option('--add-categories', 'add the categories that the account lacks, before the rows are written')
    .option('--dry-run', 'write no items, and say what would be done')
    .addOption(
      new Option(
        '--columns <list>',
        `what columns are, as in 'Regular price=value,Type=ignore,*=metadata': ${targets.join(', ')}, or metadata.color for the custom field color; metadata is one of the column's own name`,
      ),
    )
    .addOption(new Option('--encoding <name>', 'of a sheet that is not UTF-8, such as windows-1252'))
    .addOption(new Option('--sheet <name>', 'of a workbook that has several'))
    .addOption(valueOption('--separator <sign>', 'between cells: comma, semicolon, tab, or another character', sign))
    .addOption(valueOption('--header <line>', 'the line that names the columns', wholeNumber(1, 1_000_000)))
    .addOption(new Option('--decimal <mark>', 'the decimal mark in numbers').choices(['point', 'comma']))
    .addOption(rateOption());

type ImportGiven = ReturnType<ReturnType<typeof importCommand>['opts']>;

/** Looks; shows, and asks; writes; reports. */
async function importFile(table: GivenTable, given: ImportGiven, path: string): Promise<Output> {
  const isDryRun = given.dryRun === true;
  const work = await openImport(table, given, path);
  const { look, warnings } = await lookAt(work, given, path);
  const wanted = [...warnings, ...lookLines(look)].join('\n');
  if (isDryRun) work.keep(look.sheet, look.rejected);
  else {
    await mayStart(table, given, look, wanted);
    await work.run(work.sheets.start);
  }
  const end = work.sheets.getState();
  if (!('rejected' in end) || end.step === 'sending') throw new Error(`An import has ended as ${end.step}`);
  if (end.step === 'stopped') work.keep(end.sheet, end.rejected);
  const rejects = work.rejects();
  if (rejects !== undefined) process.exitCode = 1;
  const counts = countsIn(end);
  const shown = problemLines(end.rejected);
  const shownFirst = isDryRun ? [wanted] : [...warnings, ...shown, `${countsText(counts)}.`];
  const lines = [...shownFirst, ...nextLines(table, given, path, { look, end, rejects })];
  return { text: lines.join('\n'), data: { isDryRun, ...counts, warnings, shown, rejects: rejects ?? null } };
}

/** @throws CommandError with what has to be said of the file first */
async function lookAt({ sheets, run }: Awaited<ReturnType<typeof openImport>>, given: ImportGiven, path: string) {
  await run(() => sheets.take(new Blob([])));
  const first = sheets.getState();
  if (first.step === 'asking') throw new CommandError(questionsText(path, first.questions));
  if (first.step !== 'looked') throw new Error(`A look has ended as ${first.step}`);
  const names = first.sheet.unknownCategories.flatMap(({ name, isArchived }) => (isArchived ? [] : [name]));
  const isAdded = given.addCategories === true && given.dryRun !== true && names.length > 0;
  if (isAdded) await run(sheets.addCategories);
  const look = sheets.getState();
  if (look.step !== 'looked') throw new Error(`A look has ended as ${look.step}`);
  return { look, warnings: [...(isAdded ? [addedCategories(names)] : []), ...warningLines(look)] };
}

/** Shows what would be done, and asks, where there is a terminal. @throws CommandError if something has to be said first */
async function mayStart(table: GivenTable, given: ImportGiven, look: StateIn<'looked'>, wanted: string): Promise<void> {
  const { rejected, counts, withoutPrice } = look;
  const isOpen = withoutPrice.length > 0 && given.withoutPrice === undefined;
  if (process.stdin.isTTY !== true) {
    if (isOpen) throw new CommandError(`${wanted}\nNothing was imported.`);
    return;
  }
  printError(wanted);
  const isUnusual = rejected.length + counts.returning + warningLines(look).length > 0;
  if (isUnusual) await table.confirm('Type yes to import the rows: ', 'yes', 'imported');
}

/** The import of a file. Its progress is kept beside it. */
async function openImport({ database }: GivenTable, given: ImportGiven, path: string) {
  const { account, updateBy, updateOnly } = given;
  refuseJsonLines(path);
  const storage = fileStorage(`${path}.progress`);
  const api = operatorApi({ database, account, limiter: new RateLimiter(given.rate, database.clock) });
  const catalog = await api.untilEnd(() => loadCatalog(api.client, api.polling));
  const answers = { ...given, decimal: given.decimal && signs[given.decimal] };
  let rejects: string | undefined;
  const keep = (form: SheetForm, rejected: readonly RejectedRow[]): void => {
    rejects = keepRejects(path, form, rejected, storage);
  };
  const sheets = new SheetImport({
    ...api.polling,
    client: api.client,
    catalog,
    storage,
    key: given.again,
    mustNote: true,
    read: async (file, mended, categories) =>
      file.size > 0
        ? sheetIn(new Uint8Array(await file.arrayBuffer()), mended, categories)
        : readItemFile(path, answers, categories),
    finish: keep,
  });
  // Whoever leaves out the ids of an export means other items.
  const others = /(^|,)\s*id\s*=\s*ignore/i.test(given.columns ?? '') ? 'none' : undefined;
  await sheets.choose({ match: updateBy ?? others, create: updateOnly !== true, withoutPrice: given.withoutPrice });
  const run = (act: () => Promise<void>): Promise<void> =>
    api.untilEnd(
      async () => {
        await act();
        throwFailure(sheets.getState(), path);
      },
      () => progressText(sheets.getState()),
    );
  return { sheets, keep, run, rejects: () => rejects };
}

/** @throws why an import has failed, with what it has done before, unless rows have expired, which then are rejects */
function throwFailure(state: ImportState, path: string): void {
  if (!('failure' in state) || state.failure === null || state.failure.code === 'expired') return;
  const { code, cause, message } = state.failure;
  const isFull = typeof (cause as NodeJS.ErrnoException).code === 'string' && state.step === 'stopped';
  if (code !== 'not_noted' && !isFull) throw cause;
  const what =
    code === 'not_noted' ? `What is done can no longer be noted in ${path}.progress` : `${path}.rejects: ${message}`;
  throw new CommandError(`${countsText(countsIn(state))}. ${what}. Make room, and repeat the command, which goes on.`);
}

interface Ended {
  readonly look: StateIn<'looked'>;
  readonly end: StateIn<'looked' | 'done' | 'stopped'>;
  readonly rejects: string | undefined;
}

const program = 'npm run admin -- item';

/** What to do next. */
function nextLines({ environment: env }: GivenTable, given: ImportGiven, path: string, { look, end, rejects }: Ended) {
  const { account, again, columns, updateBy, updateOnly, withoutPrice } = given;
  const on = optionsText({ account, env });
  const how = optionsText({
    'update-by': updateBy,
    'update-only': updateOnly,
    'without-price': withoutPrice,
    again,
    // The rejects alone may not show it.
    decimal: given.decimal ?? (end.sheet.decimalMark === ',' ? 'comma' : undefined),
    columns,
  });
  const { known, unchanged, refused } = look.counts;
  const isKnown = known > 0 && known + unchanged + refused === look.looks.length;
  const { created, updated } = countsIn(end);
  const mend =
    end.step === 'looked'
      ? `The rejected rows are in ${rejects}.`
      : `Mend the rejected rows in ${rejects}, and import them: ${program} import ${shellQuoted(rejects ?? '')}${on}${how}`;
  return [
    ...(rejects === undefined ? [] : [...ignoreLines(end.sheet.mapping, end.rejected), mend]),
    ...takenLines(end.rejected, updateBy),
    ...(isKnown ? ['All rows were imported before. To create their items once more, add --again 2.'] : []),
    ...(end.step === 'looked' || created + updated === 0
      ? []
      : [`To undo this: ${program} undo --import ${shellQuoted(path)}${on}`]),
  ];
}
