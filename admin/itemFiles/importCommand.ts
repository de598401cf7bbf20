import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { CommandError, printError, shellQuoted } from '../../cli/print.ts';
import { valueOption, wholeNumber } from '../../cli/program.ts';
import { loadCatalog } from '../../client/http/catalogClient.ts';
import type { SheetForm } from '../../client/import/1-read.ts';
import type { ImportState, StateIn } from '../../client/import/importState.ts';
import type { RejectedRow } from '../../client/import/row.ts';
import { SheetImport } from '../../client/import/sheetImport.ts';
import { targets } from '../../client/sheet/columns.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import type { GivenTable, OnTable, Output } from '../adminProgram.ts';
import { fileStorage, nameTable } from '../api/fileStorage.ts';
import { operatorApi } from '../api/operatorApi.ts';
import { rateOption, requiredAccount } from '../options.ts';
import {
  addedCategories,
  countsIn,
  countsText,
  optionsText,
  previewLines,
  problemLines,
  progressText,
  takenLines,
  warningLines,
} from './importText.ts';
import { refuseJsonLines } from './jsonLines.ts';
import { openFile, questionsText, readItemFile, signs } from './readItemFile.ts';
import { keepRejects } from './rejects.ts';

/** A sign, as typed on the command line. */
const sign = z
  .string()
  .transform((text) => (Object.hasOwn(signs, text) ? signs[text as keyof typeof signs] : text))
  .refine((text) => text.length === 1, 'must be comma, semicolon, tab, or another character');

export function addImportCommand(items: CommandUnknownOpts, on: OnTable): void {
  importCommand(items).action((path, given, command) => on(command, (table) => importFile(table, given, path)));
}

const importCommand = (items: CommandUnknownOpts) =>
  items
    .command('import')
    .description('Creates an item from each row of a sheet (CSV, .xlsx). Can be interrupted, and repeated to resume.')
    .argument('<file>', 'its progress is kept in FILE.progress, and rows that are rejected in FILE.rejects')
    .addOption(requiredAccount())
    .addOption(
      new Option(
        '--update-by <field>',
        'update the item that has the identifier of the row, or its id and revision',
      ).choices([...identifierNames, 'id'] as const),
    )
    .option('--update-only', 'reject rows without an item to update')
    .addOption(valueOption('--again <name>', 'import rows again that were already imported today', z.string()))
    .addOption(
      new Option('--without-price [what]', 'new items without a price: create them with 0, or skip them')
        .choices(['create', 'skip'] as const)
        .preset('create'),
    )
    .option('--add-categories', 'add the categories that the account lacks, before the rows are written')
    .option('--dry-run', 'write no items, and show what would be done')
    .addOption(
      new Option(
        '--columns <list>',
        `what columns are, as in 'Regular price=value,Type=ignore,*=metadata': ${targets.join(', ')}, or metadata.color for the custom field color; metadata is one of the column's own name`,
      ),
    )
    .addOption(new Option('--encoding <name>', 'of a sheet that is not UTF-8, such as windows-1252'))
    .addOption(new Option('--sheet <name>', 'of a workbook that has several'))
    .addOption(valueOption('--separator <sign>', 'between cells: comma, semicolon, tab, or another character', sign))
    .addOption(
      valueOption('--header <line>', 'the line that names the columns; 0: none does', wholeNumber(0, 1_000_000)),
    )
    .addOption(new Option('--decimal <mark>', 'the decimal mark in numbers').choices(['point', 'comma']))
    .addOption(rateOption());

type ImportGiven = ReturnType<ReturnType<typeof importCommand>['opts']>;

/** Previews, shows and asks, writes, reports. */
async function importFile(table: GivenTable, given: ImportGiven, path: string): Promise<Output> {
  const isDryRun = given.dryRun === true;
  const work = await openImport(table, given, path);
  const { preview, warnings } = await previewFile(work, given, path);
  const shownPreview = [...warnings, ...previewLines(preview)].join('\n');
  if (!isDryRun) {
    await confirmStart(table, given, preview, shownPreview);
    await work.run(work.sheets.start);
  }
  const end = isDryRun ? preview : work.sheets.getState();
  if (end.step !== 'previewed' && end.step !== 'stopped' && end.step !== 'done')
    throw new Error(`An import has ended as ${end.step}`);
  const rejects = work.keepRejected(end.sheet, end.rejected);
  if (rejects !== undefined) process.exitCode = 1;
  const counts = countsIn(end);
  const shown = problemLines(end.rejected);
  const shownFirst = isDryRun ? [shownPreview] : [...warnings, ...shown, `${countsText(counts)}.`];
  const lines = [...shownFirst, ...nextLines(table, given, path, preview, end, rejects)];
  return { text: lines.join('\n'), data: { isDryRun, ...counts, warnings, shown, rejects: rejects ?? null } };
}

/** @throws CommandError with the questions of the file */
async function previewFile(work: Awaited<ReturnType<typeof openImport>>, given: ImportGiven, path: string) {
  const { sheets, run, file } = work;
  await run(() => sheets.load(file));
  const first = sheets.getState();
  if (first.step === 'asking') throw new CommandError(questionsText(path, first.questions));
  if (first.step !== 'previewed') throw new Error(`A preview has ended as ${first.step}`);
  const names = first.sheet.unknownCategories.flatMap(({ name, isArchived }) => (isArchived ? [] : [name]));
  const isAdded = given.addCategories === true && given.dryRun !== true && names.length > 0;
  if (isAdded) await run(sheets.addCategories);
  const preview = sheets.getState();
  if (preview.step !== 'previewed') throw new Error(`A preview has ended as ${preview.step}`);
  return { preview, warnings: [...(isAdded ? [addedCategories(names)] : []), ...warningLines(preview)] };
}

/** Shows the preview at a terminal, and asks if it is unusual. @throws CommandError if it needs another option */
async function confirmStart(
  table: GivenTable,
  given: ImportGiven,
  preview: StateIn<'previewed'>,
  shownPreview: string,
): Promise<void> {
  const { rejected, counts, withoutPrice } = preview;
  const isOpen = withoutPrice.length > 0 && given.withoutPrice === undefined;
  if (process.stdin.isTTY !== true) {
    if (isOpen) throw new CommandError(`${shownPreview}\nNothing was imported.`);
    return;
  }
  printError(shownPreview);
  const isUnusual = rejected.length + counts.reactivate + warningLines(preview).length > 0;
  if (isUnusual) await table.confirm('Type yes to import the rows: ', 'yes', 'imported');
}

/** The import of a file. Its progress is kept beside it. */
async function openImport(table: GivenTable, options: ImportGiven, path: string) {
  const { account, updateBy, updateOnly, withoutPrice } = options;
  refuseJsonLines(path);
  const file = await openFile(path);
  const storage = fileStorage(`${path}.progress`);
  await nameTable(table, storage, `${path}.progress`);
  const api = operatorApi(table, account);
  const catalog = await api.untilEnd(
    () => loadCatalog(api.client, api.polling),
    () => 'reading the account',
  );
  const { encoding, sheet, separator, header, columns, decimal } = options;
  const answers = { encoding, sheet, separator, header, columns, decimal: decimal && signs[decimal] };
  const keepRejected = (form: SheetForm, rejected: readonly RejectedRow[]) =>
    keepRejects(path, form, rejected, storage);
  // Without the ids of an export, its rows are other items.
  const others = /(^|,)\s*id\s*=\s*ignore/i.test(columns ?? '') ? 'none' : undefined;
  const sheets = new SheetImport({
    ...api.polling,
    client: api.client,
    catalog,
    storage,
    key: options.again,
    match: updateBy ?? others,
    create: updateOnly !== true,
    withoutPrice,
    requireStorage: true,
    answers,
    read: (_, ...said) => readItemFile(file, ...said),
    finish: keepRejected,
  });
  const run = (act: () => Promise<void>): Promise<void> =>
    api.untilEnd(
      async () => {
        await act();
        throwFailure(sheets.getState(), path);
      },
      () => progressText(sheets.getState()),
    );
  return { sheets, file, keepRejected, run };
}

/** @throws the cause of a failed import. Rows that have expired are no failure, because they are rejected */
function throwFailure(state: ImportState, path: string): void {
  if (!('failure' in state) || state.failure === null || state.failure.code === 'expired') return;
  const { code, cause, message } = state.failure;
  const isFull = typeof (cause as NodeJS.ErrnoException).code === 'string' && state.step === 'stopped';
  const isUnavailable = code === 'storage_unavailable';
  if (!isUnavailable && !isFull) throw cause;
  const what = isUnavailable ? `Progress can no longer be saved in ${path}.progress` : `${path}.rejects: ${message}`;
  throw new CommandError(`${countsText(countsIn(state))}. ${what}. Make room, and repeat the command, which resumes.`);
}

const program = 'npm run admin -- item';

/** What to do next. @param rejects the file of the rejected rows */
function nextLines(
  { environment: env }: GivenTable,
  { account, again, columns, updateBy, updateOnly, withoutPrice, decimal }: ImportGiven,
  path: string,
  preview: StateIn<'previewed'>,
  end: StateIn<'previewed' | 'done' | 'stopped'>,
  rejects: string | undefined,
): string[] {
  const on = optionsText({ account, env });
  const how = optionsText({
    'update-by': updateBy,
    'update-only': updateOnly,
    'without-price': withoutPrice,
    again,
    // The rejected rows alone may not show it.
    decimal: decimal ?? (end.sheet.decimalMark === ',' ? 'comma' : undefined),
    columns,
  });
  const { duplicate, unchanged, rejected } = preview.counts;
  const isKnown = duplicate > 0 && duplicate + unchanged + rejected === preview.rows.length;
  const { created, updated } = countsIn(end);
  const fix =
    end.step === 'previewed'
      ? `The rejected rows are in ${rejects}.`
      : `Fix the rejected rows in ${rejects}, and import them: ${program} import ${shellQuoted(rejects ?? '')}${on}${how}`;
  return [
    ...(rejects === undefined ? [] : [fix]),
    ...takenLines(end.rejected, updateBy),
    ...(isKnown ? ['All rows were imported before. To create their items once more, add --again 2.'] : []),
    ...(end.step === 'previewed' || created + updated === 0
      ? []
      : [`To undo this: ${program} undo --import ${shellQuoted(path)}${on}`]),
  ];
}
