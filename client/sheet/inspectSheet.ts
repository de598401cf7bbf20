/** Finds out what the file of anybody says, by looking at all of it. Browsers and operators share it. */

import { Categories, type SheetCategory, type UnknownCategory } from './categories.ts';
import { ColumnProfile, Occurrences } from './columnProfile.ts';
import { type ColumnMapping, foldedName, isExport, mapColumns, namesOf, settleColumns } from './columns.ts';
import { harmless } from './csvLine.ts';
import { isAmount, isCustom } from './exportCells.ts';
import { findHeading } from './heading.ts';
import { inferDecimals } from './inferDecimals.ts';
import {
  type CellEdits,
  occurrenceWarning,
  type SheetAnswers,
  type SheetQuestion,
  type SheetWarning,
} from './notices.ts';
import type { DecimalMark } from './readAmount.ts';
import type { Cell, SheetRecord } from './records.ts';
import { categoryReader, type InspectedRow, type RowReader, rowReader } from './rowReader.ts';
import { type SheetForm, textForm, type WorkbookSheet, workbookForm } from './sheetForm.ts';
import { trimmed } from './thirdPartyCells.ts';

export interface InspectedSheet {
  /** If there are any, there are no rows. */
  readonly questions: readonly SheetQuestion[];
  /** What is read in spite of being odd. */
  readonly warnings: readonly SheetWarning[];
  readonly columns: readonly string[];
  /** The target of each column. */
  readonly mapping: readonly ColumnMapping[];
  /** Categories of the file that the account does not have. Their rows are invalid. */
  readonly unknownCategories: readonly UnknownCategory[];
  /** Whether it is an export of this service, which is read cell by cell. */
  readonly isExport: boolean;
  /** The columns whose cells are texts, although some look like numbers. */
  readonly texts: readonly string[];
  /** Undefined for a workbook. */
  readonly encoding: string | undefined;
  /** That of the file, or for a workbook that of its rejects. */
  readonly separator: string;
  readonly header: number;
  readonly decimalMark: DecimalMark;
  /** Reads the rows, each time anew. */
  rows(): Generator<InspectedRow, void>;
}

/**
 * @param source the bytes of a text, or the sheets of a workbook
 * @param categories the account's, as `loadCatalog` has them. Without them, only their ids are read
 * @throws UnreadableFile if it is no sheet
 */
export function inspectSheet(
  source: Uint8Array | readonly WorkbookSheet[],
  answers: SheetAnswers = {},
  categories?: readonly SheetCategory[],
): InspectedSheet {
  const form = source instanceof Uint8Array ? textForm(source, answers) : workbookForm(source, answers);
  if ('option' in form) return asked(form);
  const heading = findHeading(form.first, form.records, answers.header);
  if ('option' in heading) return asked(heading);
  return readTable(tableOf(form, heading, answers.edits), answers, new Categories(categories));
}

/** An empty sheet, because nothing is read before a question is answered. */
const asked = (question: SheetQuestion): InspectedSheet => ({
  questions: [question],
  warnings: [],
  columns: [],
  mapping: [],
  unknownCategories: [],
  isExport: false,
  texts: [],
  encoding: undefined,
  separator: ',',
  header: 0,
  decimalMark: '.',
  *rows() {},
});

/** A form whose columns have names. */
interface Table {
  readonly form: SheetForm;
  readonly heading: SheetRecord;
  readonly names: readonly string[];
  readonly isOwn: boolean;
  readonly edits: CellEdits;
}

function tableOf(form: SheetForm, heading: SheetRecord, edits: CellEdits = {}): Table {
  const written = heading.cells.map(String);
  const isOwn = isExport(written);
  return { form, heading, edits, isOwn, names: namesOf(isOwn ? written : written.map(columnName)) };
}

/** Without blanks, and without the apostrophe that keeps a spreadsheet from running it. */
function columnName(written: string): string {
  const name = trimmed(written);
  return name.startsWith("'") && harmless(name.slice(1)) === name ? name.slice(1) : name;
}

/** Reads all records twice: first to profile the columns, then, once these are mapped, as rows. */
function readTable(table: Table, answers: SheetAnswers, categories: Categories): InspectedSheet {
  const { form, heading, names, isOwn } = table;
  const mapped = mapColumns(names, answers.columns);
  const { profiles, warnings } = profileColumns(table, mapped.columns, categories);
  const { columns, questions } = settleColumns(mapped, profiles, isOwn);
  const decimal = answers.decimal ?? (isOwn && form.separator === ',' ? '.' : inferDecimals(columns, profiles, isOwn));
  const decimalMark = typeof decimal === 'string' ? decimal : '.';
  const all = typeof decimal === 'string' ? questions : [...questions, decimal];
  const separator = form.encoding === undefined ? undefined : form.separator;
  const read = rowReader(columns, profiles, { decimalMark, categories, isOwn, separator });
  const ofColumns = columns
    .flatMap(({ name, target = 'ignore' }, at) =>
      target === 'ignore' ? [] : (profiles[at]?.warnings(name, target) ?? []),
    )
    .filter(({ rule }) => !(isOwn && notOfExports.has(rule)));
  return {
    questions: all,
    warnings: [...form.warnings, ...titleWarning(table, answers), ...warnings, ...ofColumns, ...categories.warnings],
    columns: names,
    mapping: columns.map((column, at) => ({ ...column, examples: profiles[at]?.examples ?? [] })),
    unknownCategories: categories.unknown,
    isExport: isOwn,
    texts: columns
      .filter(({ target = '' }, at) => isCustom(target) && profiles[at]?.isNumber(decimalMark) === false)
      .map(({ name }) => name),
    encoding: form.encoding,
    separator: form.separator,
    header: heading.line,
    decimalMark,
    *rows() {
      if (all.length === 0) yield* rowsOf(table, read);
    },
  };
}

/** In an export, a text such as `N/A` is what an item has, and no amount has a currency. */
const notOfExports: ReadonlySet<string> = new Set(['no_value', 'currency_left_out']);

/**
 * The records below the heading, without those that repeat it, such as at the top of each printed page, or where two files
 * were joined.
 */
function* recordsBelow({ form, heading, edits, names }: Table, noteRepeated?: (record: SheetRecord) => void) {
  // An item of a mere list of names may be called "Name".
  const folded = (cell: Cell = '') => (heading.cells.length > 1 ? foldedName(String(cell)) : cell);
  const repeated = heading.cells.map(folded);
  for (const record of form.records()) {
    if (record.line <= heading.line) continue;
    const edited = edits[record.line];
    const isRepeated = heading.line > 0 && repeated.every((name, at) => name === folded(record.cells[at]));
    if (edited !== undefined) yield editedRecord(record, names, edited);
    else if (isRepeated) noteRepeated?.(record);
    else yield record;
  }
}

/** A record over whose cells was typed. Cells without a column are left out. */
function editedRecord(
  { line, cells }: SheetRecord,
  names: readonly string[],
  edited: Record<string, string>,
): SheetRecord {
  const typed = new Map(Object.entries(edited));
  return { line, cells: names.map((name, at) => typed.get(name) ?? cells[at] ?? '') };
}

function* rowsOf(table: Table, read: RowReader): Generator<InspectedRow, void> {
  for (const record of recordsBelow(table)) yield read(record);
}

/** Profiles the columns by all records. */
function profileColumns(table: Table, columns: readonly ColumnMapping[], categories: Categories) {
  const { form, heading } = table;
  const profiles = columns.map(() => new ColumnProfile());
  const seen = new Occurrences<keyof typeof recordWarnings>();
  const pairOf = categoryReader(columns);
  const mayHaveDecimalCommas = form.encoding !== undefined && form.separator === ',' && columns.some(isAmountColumn);
  let isEmpty = true;
  const below = recordsBelow(table, ({ line }) => seen.add('repeated_heading', line, ''));
  for (const { line, cells, hasStrayQuote, isBroken } of below) {
    isEmpty = false;
    if (hasStrayQuote === true) seen.add('stray_quote', line, '');
    if (mayHaveDecimalCommas && cells.length > columns.length) seen.add('wide_row', line, '');
    if (isBroken === true) continue;
    categories.note(line, pairOf(cells));
    for (const [at, cell] of cells.slice(0, columns.length).entries())
      profiles[at]?.note(line, cell, columns[at]?.target, form.percents?.has(`${line}:${at}`) === true);
  }
  const none = `There are no rows below line ${heading.line}.`;
  const warnings = [...seen].map(([rule, occurrence]) => occurrenceWarning(rule, recordWarnings[rule], occurrence));
  if (isEmpty) warnings.unshift({ rule: 'no_rows', values: { line: heading.line }, text: none });
  return { profiles, warnings };
}

const isAmountColumn = ({ target = 'ignore' }: ColumnMapping): boolean => isAmount(target);

const recordWarnings = {
  stray_quote: 'A cell goes on after its closing quote, so its quotes are kept',
  repeated_heading: 'The names of the columns are repeated, and left out',
  wide_row: 'Rows have more commas than the names of the columns: a number with a decimal comma needs quotes',
} as const;

function titleWarning({ form, heading: { line } }: Table, { header }: SheetAnswers): SheetWarning[] {
  if (header !== undefined || line <= (form.first[0]?.line ?? 1)) return [];
  const text = `Line ${line} is taken for the names of the columns. What is above it is not read.`;
  return [{ rule: 'below_title', values: { line }, text }];
}
