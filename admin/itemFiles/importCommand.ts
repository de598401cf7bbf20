import { appendFileSync, rmSync } from 'node:fs';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { showProgress } from '../../cli/showProgress.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { type RowProblem, rejectHead, rejectLine } from '../../portable/sheet/csvLine.ts';
import type { TableActionOn } from '../adminProgram.ts';
import { accountOption, rateOption } from '../options.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { formatOf, formatOption } from './exportCommand.ts';
import { type ImportOptions, importItems, type RowResult } from './importItems.ts';
import { ImportProgress } from './importProgress.ts';
import { type ItemFile, inspectFile, type Row, readRows } from './readRows.ts';

const decimalMarks = { point: '.', comma: ',' } as const;

export function addImportCommand(items: CommandUnknownOpts, onTable: TableActionOn): void {
  items
    .command('import')
    .description(
      'Creates an item from each row of a CSV or JSON Lines file. Can be interrupted, and repeated to go on.',
    )
    .argument('<file>', 'its progress is kept in FILE.progress, and rows that are rejected in FILE.rejects')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option('--update-by <field>', 'update the item that has the identifier of the row').choices(identifierNames),
    )
    .option('--dry-run', 'write no items, and say what would be done')
    .addOption(formatOption())
    .addOption(new Option('--decimal <mark>', 'the decimal mark in numbers').choices(['point', 'comma']))
    .addOption(rateOption())
    .action(
      onTable(async ({ database }, { dryRun: isDryRun = false, account, updateBy, ...values }, path: string) => {
        const file = await inspectFile(path, formatOf(path, values.format));
        const decimalMark = values.decimal === undefined ? file.decimalMark : decimalMarks[values.decimal];
        const progress = isDryRun ? undefined : await ImportProgress.open(database, account, file);
        const limiter = new RateLimiter(values.rate, database.clock);
        const { counts, shown, rejects, report, endProgress } = startReport(file);
        const options = { account, updateBy, progress, limiter, report };
        await importItems(database, readRows({ ...file, decimalMark }), options).finally(endProgress);
        if (counts.rejected > 0) process.exitCode = 1;
        const lines = [
          ...shown,
          `${isDryRun ? 'Would be: ' : ''}${countsText(counts)}.`,
          ...(counts.rejected > 0
            ? [
                isDryRun
                  ? `The rejected rows are in ${rejects}.`
                  : `Mend the rejected rows in ${rejects}, and import that file.`,
              ]
            : []),
        ];
        return {
          text: lines.join('\n'),
          data: { isDryRun, ...counts, shown, rejects: counts.rejected > 0 ? rejects : null },
        };
      }),
    );
}

/** How many rejected rows are shown. */
const maxShown = 20;

type Counts = Record<RowResult, number>;

/** Counts the results, shows the progress, and writes rejected rows to a file that can be mended and imported. */
function startReport(file: ItemFile) {
  const counts: Counts = { created: 0, updated: 0, doneBefore: 0, rejected: 0 };
  const shown: string[] = [];
  const rejects = `${file.path}.rejects`;
  rmSync(rejects, { force: true });
  const began = Date.now();
  let bytes = 0;
  const endProgress = showProgress(() => importProgressText(counts, bytes / file.size, (Date.now() - began) / 1_000));
  const report: ImportOptions['report'] = (row, result, problems) => {
    counts[result] += 1;
    bytes = Math.max(bytes, row.bytes);
    if (result !== 'rejected') return;
    const reasons = problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`);
    if (shown.length < maxShown) shown.push(`Line ${row.line}: ${reasons.join('; ')}.`);
    appendFileSync(rejects, rejectLines(file, row, problems, counts.rejected === 1));
  };
  return { counts, shown, rejects, report, endProgress };
}

/** @param isFirst whether it is the first one of the file */
function rejectLines(
  { separator }: ItemFile,
  { line, source, body, invalid }: Row,
  problems: readonly RowProblem[],
  isFirst: boolean,
): string {
  if (separator === undefined) {
    const members = invalid.some(({ field }) => field === 'row') ? source : body;
    return `${JSON.stringify({ ...members, reject: { line, fields: problems } })}\n`;
  }
  const columns = Object.keys(source);
  const rejected = rejectLine(columns, separator, { line, cells: source, problems });
  return isFirst ? `${rejectHead(columns, separator)}${rejected}` : rejected;
}

const count = (number: number): string => Math.round(number).toLocaleString('en');

const countsText = (counts: Counts): string =>
  Object.entries(counts)
    .flatMap(([name, number]) => (number > 0 ? `${count(number)} ${name === 'doneBefore' ? 'done before' : name}` : []))
    .join(', ') || 'no rows';

function importProgressText(counts: Counts, part: number, seconds: number): string {
  const rows = counts.created + counts.updated + counts.rejected;
  const left = part > 0 ? `, ${count((seconds * (1 - part)) / part)} s left` : '';
  return `${Math.floor(part * 100)} %: ${countsText(counts)}, ${count(rows / seconds)} rows a second${left}`;
}
