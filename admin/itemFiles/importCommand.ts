import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { printError } from '../../cli/print.ts';
import { type CallerStorage, loadCatalog, type Schemas } from '../../client/http/catalogClient.ts';
import type { Look } from '../../client/import/lookAtRows.ts';
import { writeRejects } from '../../client/sheet/readSheet.ts';
import { type FieldProblem, identifierNames } from '../../lib/item/fields.ts';
import { type SheetColumn, targets } from '../../portable/sheet/columns.ts';
import type { InspectedRow } from '../../portable/sheet/rowReader.ts';
import type { TableActionOn } from '../adminProgram.ts';
import { fileStorage } from '../api/fileStorage.ts';
import { operatorApi } from '../api/operatorApi.ts';
import { rowsUnderWay } from '../api/rowsUnderWay.ts';
import { accountOption, rateOption } from '../options.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { formatOf, formatOption } from './fileFormat.ts';
import {
  type FileImport,
  type FileRows,
  importItems,
  lookAtItems,
  readFileRows,
  refuseOwnExport,
} from './importItems.ts';
import { type ItemFile, inspectFile, readRows, signs } from './readRows.ts';

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
      new Option(
        '--update-by <field>',
        'update the item that has the identifier of the row, or its id and revision',
      ).choices([...identifierNames, 'id'] as const),
    )
    .option('--update-only', 'refuse rows without an item to update')
    .addOption(valueOption('--again <name>', 'create items once more that equal rows have created today', z.string()))
    .option('--dry-run', 'write no items, and say what would be done')
    .addOption(formatOption())
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
    .addOption(rateOption())
    .action(
      onTable(async (table, { dryRun: isDryRun = false, account, updateBy, ...values }, path: string) => {
        const { database, environment: env } = table;
        const format = formatOf(path, values.format);
        const progress = `${path}.progress`;
        const storage = fileStorage(progress);
        const limiter = new RateLimiter(values.rate, database.clock);
        const api = operatorApi({ database, account, limiter, rows: rowsUnderWay(`${progress}.rows`) });
        const answers = { ...values, decimal: values.decimal && signs[values.decimal] };
        const file = await api.untilEnd(async () => {
          const { categories } = await loadCatalog(api.client, api.polling);
          return inspectFile(path, format, answers, categories);
        });
        const isById = updateBy === 'id';
        const read = await readFileRows(file, isById);
        const rows = { match: isById ? undefined : updateBy, create: values.updateOnly !== true && !isById };
        const options = { ...api.polling, ...rows, storage, key: values.again };
        if (updateBy === undefined) await api.untilEnd(() => refuseOwnExport(api.client, read));
        const look = await lastOf(
          api,
          lookAtItems(api.client, read, options),
          ({ left }) => `${count(left)} rows to look at`,
        );
        const warnings = [...(file.sheet?.warnings ?? []).map(({ text }) => text), ...warningLines(read, look)];
        const wanted = [...warnings, ...lookLines(read, look)].join('\n');
        const isTerminal = process.stdin.isTTY === true && !isDryRun;
        if (isTerminal) printError(wanted);
        const isUnusual = read.rejects.size + look.counts.returning + warnings.length > 0;
        if (isTerminal && isUnusual) await table.confirm('Type yes to import the rows: ', 'yes', 'imported');
        const began = Date.now();
        const importing = importItems(api.client, read, { ...options, look });
        const { new: made, changed, returning, unchanged: same, known } = look.counts;
        const { left: _, ...done } = isDryRun
          ? { created: made, updated: changed + returning, unchanged: same, doneBefore: known, left: 0 }
          : await lastOf(api, importing, (now) => progressText(now, read.rejects.size, (Date.now() - began) / 1_000));
        const counts = { ...done, rejected: read.rejects.size };
        const rejects = await keepRejects(file, read.rejects, storage);
        if (rejects !== undefined) process.exitCode = 1;
        const { decimal, updateOnly, columns, format: said } = values;
        const on = optionsText({ account, env });
        const how = optionsText({ 'update-by': updateBy, 'update-only': updateOnly, decimal, columns, format: said });
        const mend = isDryRun
          ? `The rejected rows are in ${rejects}.`
          : `Mend the rejected rows in ${rejects}, and import them: ${program} import ${quoted(rejects ?? '')}${on}${how}`;
        const isKnown = known > 0 && known + same === read.whole.length;
        const shown = problemLines(read);
        const lines = [
          ...(isDryRun ? [wanted] : [...warnings, ...shown, `${countsText(counts)}.`]),
          ...(rejects === undefined ? [] : [...ignoreLines(file, read, columns), mend]),
          ...(isKnown ? ['All rows were imported before. To create their items once more, add --again 2.'] : []),
          ...(isDryRun || counts.created + counts.updated === 0
            ? []
            : [`To undo this: ${program} undo --import ${quoted(path)}${on}`]),
        ];
        return { text: lines.join('\n'), data: { isDryRun, ...counts, warnings, shown, rejects: rejects ?? null } };
      }),
    );
}

const program = 'npm run admin -- item';

const optionsText = (given: Readonly<Record<string, string | true | undefined>>): string =>
  Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` --${name}${value === true ? '' : ` ${quoted(value)}`}`))
    .join('');

/** As a shell reads it. */
const quoted = (path: string): string => (/[^\w./-]/.test(path) ? `'${path.replaceAll("'", String.raw`'\''`)}'` : path);

/** @returns the last step. Its progress is shown meanwhile */
async function lastOf<Step>(
  api: ReturnType<typeof operatorApi>,
  steps: AsyncIterable<Step>,
  text: (step: Step) => string,
): Promise<Step> {
  let last: Step | undefined;
  const work = async () => {
    for await (last of steps);
  };
  await api.untilEnd(work, () => (last === undefined ? '' : text(last)));
  return last as Step;
}

/** How many lines are shown of each kind. */
const maxShown = 20;

const problemLines = ({ rejects }: FileRows): string[] =>
  [...rejects]
    .sort(([one], [other]) => one - other)
    .slice(0, maxShown)
    .map(([line, problems]) => {
      const reasons = problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`.trim());
      return `Line ${line}: ${reasons.join('; ')}.`;
    });

/** How to leave out the columns that are wrong in most of the rejected rows, and usually mean something else elsewhere. */
function ignoreLines({ sheet }: ItemFile, { rejects }: FileRows, said = ''): string[] {
  const isMostlyWrong = ({ target }: SheetColumn) =>
    ['type', 'category', 'unit', 'tag'].includes(target ?? '') &&
    [...rejects.values()].filter((problems) => problems.some(({ field }) => field === target)).length * 2 >=
      rejects.size;
  let columns = said;
  for (const { name, target } of sheet?.columns.filter(isMostlyWrong) ?? [])
    columns = columns.includes(`${name}=${target}`)
      ? columns.replace(`${name}=${target}`, () => `${name}=ignore`)
      : [`${name}=ignore`, ...(columns === '' ? [] : [columns])].join(',');
  return columns === said ? [] : [`To leave out what most of them have wrong: --columns ${quoted(columns)}`];
}

const warningLines = ({ whole }: FileRows, { rows }: Look): string[] =>
  rows
    .flatMap(({ warning }, index) => (warning === undefined ? [] : [`Line ${whole[index]?.line} ${warning}.`]))
    .slice(0, maxShown);

function lookLines(read: FileRows, look: Look): string[] {
  const { new: created, changed: updated, returning, unchanged, known: doneBefore } = look.counts;
  const changed = look.rows.flatMap(({ id, changes = [] }, index) =>
    changes.length === 0 ? [] : [`Line ${read.whole[index]?.line}: item ${id}: ${changes.map(changeText).join(', ')}.`],
  );
  const counts = { created, updated, 'brought back': returning, unchanged, doneBefore, rejected: read.rejects.size };
  return [...problemLines(read), ...changed.slice(0, maxShown), `Would be: ${countsText(counts)}.`];
}

const changeText = ({ field, path = '', from, to }: Schemas['FieldChange']): string =>
  from === undefined ? `${field}${path}` : `${field}${path} from ${JSON.stringify(from)} to ${JSON.stringify(to)}`;

/**
 * Writes the rows that were refused to a file, in order, but over none that somebody has edited.
 * @returns its name; undefined if there are no such rows
 */
async function keepRejects(
  file: ItemFile,
  rejects: FileRows['rejects'],
  storage: CallerStorage,
): Promise<string | undefined> {
  const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  let path = `${file.path}.rejects`;
  for (let next = 2; existsSync(path) && storage.getItem(path) !== hashOf(path); next += 1)
    path = `${file.path}.${next}.rejects`;
  rmSync(path, { force: true });
  if (rejects.size === 0) return undefined;
  const rejected: RejectedRow[] = [];
  for await (const row of readRows(file)) {
    const problems = rejects.get(row.line);
    if (problems !== undefined) rejected.push({ ...row, problems });
  }
  const { sheet } = file;
  const columns = sheet?.columns.map(({ name }) => name) ?? [];
  writeFileSync(path, sheet ? writeRejects({ ...sheet, columns }, rejected) : rejected.map(rejectedLine).join(''));
  storage.setItem(path, hashOf(path));
  return path;
}

type RejectedRow = InspectedRow & { readonly problems: readonly FieldProblem[] };

/** Of JSON Lines. */
function rejectedLine({ line, cells: { text }, body, invalid, problems }: RejectedRow): string {
  const members = invalid.some(({ field }) => field === 'row') ? { text } : body;
  return `${JSON.stringify({ ...members, reject: { line, fields: problems } })}\n`;
}

const count = (number: number): string => Math.round(number).toLocaleString('en');

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([name, number]) => (number > 0 ? `${count(number)} ${name === 'doneBefore' ? 'done before' : name}` : []))
    .join(', ') || 'no rows';

function progressText({ left, ...done }: FileImport, rejected: number, seconds: number): string {
  const rate = (done.created + done.updated) / seconds;
  const wait = rate > 0 ? `, ${count(left / rate)} s left` : '';
  return `${countsText({ ...done, rejected })}, ${count(rate)} rows a second${wait}`;
}
