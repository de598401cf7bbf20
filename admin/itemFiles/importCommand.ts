import { appendFileSync, rmSync } from 'node:fs';
import { extname } from 'node:path';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { loadCatalog } from '../../client/catalogClient.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { targets } from '../../portable/sheet/columns.ts';
import { type RowProblem, rejectHead, rejectLine } from '../../portable/sheet/csvLine.ts';
import type { TableActionOn } from '../adminProgram.ts';
import { fileStorage } from '../api/fileStorage.ts';
import { operatorApi } from '../api/operatorApi.ts';
import { RowsUnderWay } from '../api/rowsUnderWay.ts';
import { accountOption, rateOption } from '../options.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { formatOf, formatOption } from './exportCommand.ts';
import { type FileImport, importItems } from './importItems.ts';
import { type ItemFile, inspectFile, type Row, readRows, signs } from './readRows.ts';

/** A sign as it is said on the command line. */
const sign = z
  .string()
  .transform((text) => (Object.hasOwn(signs, text) ? signs[text as keyof typeof signs] : text))
  .refine((text) => text.length === 1, 'must be comma, semicolon, tab, or another character');

export function addImportCommand(items: CommandUnknownOpts, onTable: TableActionOn): void {
  items
    .command('import')
    .description(
      'Creates an item from each row of a sheet (CSV, .xlsx) or JSON Lines file. Can be interrupted, and repeated to go on.',
    )
    .argument('<file>', 'its progress is kept in FILE.progress, and rows that are rejected in FILE.rejects')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option('--update-by <field>', 'update the item that has the identifier of the row').choices(identifierNames),
    )
    .option('--dry-run', 'write no items, and say what would be done')
    .addOption(formatOption())
    .addOption(
      new Option(
        '--columns <list>',
        `what columns are, as in 'Regular price=value,Type=ignore,*=metadata': ${targets.join(', ')}, or metadata.color for the custom field color; metadata is one of the column's own name`,
      ),
    )
    .addOption(new Option('--encoding <name>', 'of a sheet that is not UTF-8, such as windows-1252'))
    .addOption(valueOption('--separator <sign>', 'between cells: comma, semicolon, tab, or another character', sign))
    .addOption(valueOption('--header <line>', 'the line that names the columns', wholeNumber(1, 1_000_000)))
    .addOption(new Option('--decimal <mark>', 'the decimal mark in numbers').choices(['point', 'comma']))
    .addOption(rateOption())
    .action(
      onTable(async ({ database }, { dryRun: isDryRun = false, account, updateBy, ...values }, path: string) => {
        const format = extname(path) === '.xlsx' ? 'csv' : formatOf(path, values.format);
        const progress = `${path}.progress`;
        const limiter = new RateLimiter(values.rate, database.clock);
        const api = operatorApi({ database, account, limiter, rows: new RowsUnderWay(`${progress}.rows`) });
        let state: FileImport = { created: 0, updated: 0, doneBefore: 0, left: 0, rejects: new Map() };
        let file: ItemFile = { path, hash: '', sheet: undefined };
        const began = Date.now();
        const endProgress = showProgress(() => progressText(state, (Date.now() - began) / 1_000));
        const decimal = values.decimal && signs[values.decimal];
        const options = { ...api.polling, storage: fileStorage(progress), match: updateBy, dry_run: isDryRun };
        await api
          .untilEnd(async () => {
            const { categories } = await loadCatalog(api.client, api.polling);
            file = await inspectFile(path, format, { ...values, decimal }, categories);
            for await (state of importItems(api.client, file, options));
          })
          .finally(endProgress);
        const { rejects, shown } = await writeRejects(file, state);
        const warnings = file.sheet?.warnings ?? [];
        const { created, updated, doneBefore } = state;
        const rejected = state.rejects.size;
        if (rejected > 0) process.exitCode = 1;
        const counts = { created, updated, doneBefore, rejected };
        const lines = [
          ...warnings,
          ...shown,
          `${isDryRun ? 'Would be: ' : ''}${countsText(counts)}.`,
          ...(rejected > 0
            ? [
                isDryRun
                  ? `The rejected rows are in ${rejects}.`
                  : `Mend the rejected rows in ${rejects}, and import that file.`,
              ]
            : []),
        ];
        const data = { isDryRun, ...counts, warnings, shown, rejects: rejected > 0 ? rejects : null };
        return { text: lines.join('\n'), data };
      }),
    );
}

/** How many rejected rows are shown. */
const maxShown = 20;

/** Writes the rows that were refused to a file, in order. @returns its name, and what is wrong with the first of them */
async function writeRejects(file: ItemFile, { rejects: problemsOf }: FileImport) {
  const rejects = `${file.path}.rejects`;
  rmSync(rejects, { force: true });
  const shown: string[] = [];
  let isFirst = true;
  for await (const row of problemsOf.size > 0 ? readRows(file) : []) {
    const problems = problemsOf.get(row.line);
    if (problems === undefined) continue;
    const reasons = problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`);
    if (shown.length < maxShown) shown.push(`Line ${row.line}: ${reasons.join('; ')}.`);
    appendFileSync(rejects, rejectLines(file, row, problems, isFirst));
    isFirst = false;
  }
  return { rejects, shown };
}

/** @param isFirst whether it is the first one of the file */
function rejectLines({ sheet }: ItemFile, row: Row, problems: readonly RowProblem[], isFirst: boolean): string {
  const { line, cells, body, invalid } = row;
  if (sheet === undefined) {
    const members = invalid.some(({ field }) => field === 'row') ? cells : body;
    return `${JSON.stringify({ ...members, reject: { line, fields: problems } })}\n`;
  }
  const columns = sheet.columns.map(({ name }) => name);
  const rejected = rejectLine(columns, sheet.separator, { line, cells, problems });
  return isFirst ? `${rejectHead(columns, sheet.separator)}${rejected}` : rejected;
}

const count = (number: number): string => Math.round(number).toLocaleString('en');

type Counts = Record<'created' | 'updated' | 'doneBefore' | 'rejected', number>;

const countsText = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([name, number]) => (number > 0 ? `${count(number)} ${name === 'doneBefore' ? 'done before' : name}` : []))
    .join(', ') || 'no rows';

function progressText({ created, updated, doneBefore, rejects, left }: FileImport, seconds: number): string {
  const rejected = rejects.size;
  const rate = (created + updated + rejected) / seconds;
  const wait = rate > 0 ? `, ${count(left / rate)} s left` : '';
  return `${countsText({ created, updated, doneBefore, rejected })}, ${count(rate)} rows a second${wait}`;
}
