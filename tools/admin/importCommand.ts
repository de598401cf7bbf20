import { appendFileSync, rmSync } from 'node:fs';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { identifierNames } from '../../lib/item/fields.ts';
import { csvLine } from '../../lib/operator/itemFile/csvLines.ts';
import type { RowOutcome } from '../../lib/operator/itemFile/importItems.ts';
import { importItems } from '../../lib/operator/itemFile/importItems.ts';
import { markImport } from '../../lib/operator/itemFile/importMark.ts';
import { ImportProgress } from '../../lib/operator/itemFile/importProgress.ts';
import type { ItemFile, Row, RowProblem } from '../../lib/operator/itemFile/readRows.ts';
import { inspectFile, readJson, readRows, rejectColumns } from '../../lib/operator/itemFile/readRows.ts';
import { RateLimiter } from '../../lib/operator/rateLimiter.ts';
import { showProgress } from '../cli/showProgress.ts';
import type { Output, TableActionOn } from './adminProgram.ts';
import { formatOf, formatOption } from './exportCommand.ts';
import { accountOption, rateOption } from './options.ts';

/** How many rows are written at the same time. */
const workers = 16;

const counted = ['created', 'updated', 'done before', 'rejected'] as const;
type Counts = Record<(typeof counted)[number], number>;

export function addImportCommand(items: CommandUnknownOpts, onTable: TableActionOn): void {
  items
    .command('import')
    .description(
      'Creates an item from each row of a CSV or JSON Lines file. Can be interrupted, and repeated to go on.',
    )
    .argument('<file>', 'its progress is kept in FILE.progress, and rows that are rejected in FILE.rejects')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option('--update-by <field>', 'update the item that has the sku or pn of the row').choices(identifierNames),
    )
    .option('--dry-run', 'write nothing, and say what would be done')
    .addOption(formatOption())
    .addOption(new Option('--decimal <mark>', 'the decimal mark in numbers').choices(['point', 'comma']))
    .addOption(rateOption())
    .action(
      onTable(async ({ database }, { dryRun: isDryRun = false, ...values }, path: string) => {
        const file = await inspectFile(path, formatOf(path, values.format));
        const mark = values.decimal === undefined ? undefined : ({ point: '.', comma: ',' } as const)[values.decimal];
        const subject = { table: database.table, account: values.account, file: file.hash };
        const progress = isDryRun ? undefined : new ImportProgress(`${path}.progress`, subject);
        const end = progress && (await markImport(database, values.account, file.hash, progress.began));
        const { counts, shown, report, endReport } = startReport(file, isDryRun);
        await importItems(database, readRows(file, mark ?? (file.separator === ',' ? '.' : undefined)), {
          account: values.account,
          hash: file.hash,
          updateBy: values.updateBy,
          progress,
          end: end ?? Number.POSITIVE_INFINITY,
          limiter: new RateLimiter(values.rate, database.clock),
          workers,
          report,
        }).finally(() => {
          progress?.close();
          endReport();
        });
        if (counts.rejected > 0) process.exitCode = 1;
        return outputOf(file, counts, shown, isDryRun);
      }),
    );
}

/** How many rejected rows are shown. */
const maxShown = 20;

/** Counts the outcomes, shows the progress, and writes rejected rows to a file that can be mended and imported. */
function startReport(file: ItemFile, isDryRun: boolean) {
  const counts: Counts = { created: 0, updated: 0, 'done before': 0, rejected: 0 };
  const shown: string[] = [];
  const rejects = isDryRun ? undefined : `${file.path}.rejects`;
  if (rejects !== undefined) rmSync(rejects, { force: true });
  const began = Date.now();
  let bytes = 0;
  const endReport = showProgress(() => progressText(counts, bytes / file.size, (Date.now() - began) / 1_000));
  const report = (row: Row, outcome: RowOutcome): void => {
    counts[outcome.result] += 1;
    bytes = Math.max(bytes, row.bytes);
    if (outcome.result !== 'rejected') return;
    const reasons = outcome.fields.map(({ field, path = '', reason }) => `${field}${path} ${reason}`);
    if (shown.length < maxShown) shown.push(`Line ${row.line}: ${reasons.join('; ')}.`);
    if (rejects !== undefined) appendFileSync(rejects, rejectLines(file, row, outcome.fields, counts.rejected === 1));
  };
  return { counts, shown, report, endReport };
}

/** @param isFirst whether it is the first one of the file */
function rejectLines({ separator }: ItemFile, { line, source }: Row, fields: readonly RowProblem[], isFirst: boolean) {
  if (typeof source === 'string') {
    const { invalid, body } = readJson(source);
    const members = invalid.some(({ field }) => field === 'row') ? { text: source } : body;
    return `${JSON.stringify({ ...members, reject: { line, fields } })}\n`;
  }
  const columns = Object.keys(source).filter((column) => !rejectColumns.includes(column));
  const reasons = fields.map(({ path = '', reason }) => `${path} ${reason}`.trim()).join('; ');
  const cells = [
    ...columns.map((column) => source[column]),
    line,
    fields.map(({ field }) => field).join('; '),
    reasons,
  ];
  return (isFirst ? `\ufeff${csvLine([...columns, ...rejectColumns], separator)}` : '') + csvLine(cells, separator);
}

const count = (number: number): string => Math.round(number).toLocaleString('en');

const countsText = (counts: Counts): string =>
  counted.flatMap((name) => (counts[name] > 0 ? [`${count(counts[name])} ${name}`] : [])).join(', ') || 'no rows';

function progressText(counts: Counts, part: number, seconds: number): string {
  const rows = counts.created + counts.updated + counts.rejected;
  const left = part > 0 ? `, ${count((seconds * (1 - part)) / part)} s left` : '';
  return `${Math.floor(part * 100)} %: ${countsText(counts)}, ${count(rows / seconds)} rows a second${left}`;
}

function outputOf(file: ItemFile, counts: Counts, shown: readonly string[], isDryRun: boolean): Output {
  const hidden = counts.rejected - shown.length;
  const lines = [
    ...shown,
    ...(hidden > 0 ? [`${count(hidden)} more rows were rejected.`] : []),
    `${isDryRun ? 'Would be: ' : ''}${countsText(counts)}.`,
    ...(counts.rejected > 0 && !isDryRun
      ? [`Mend the rejected rows in ${file.path}.rejects, and import that file.`]
      : []),
  ];
  const { 'done before': doneBefore, ...others } = counts;
  return { text: lines.join('\n'), data: { isDryRun, ...others, doneBefore, shown } };
}
