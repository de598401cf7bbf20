/** Finds out what the file of anybody says, by looking at all of it. Browsers and operators share it. */

import { Categories, type SheetCategory, type UnknownCategory } from './categories.ts';
import { type Column, ColumnProfile, Occurrences } from './columnProfile.ts';
import { foldedName, isExport, mapColumns, namesOf, readColumnsAnswer } from './columns.ts';
import { harmless } from './csvLine.ts';
import { isAmount, isCustom } from './exportCells.ts';
import { findHeading } from './heading.ts';
import { inferDecimals } from './inferDecimals.ts';
import {
  type CellEdits,
  type ColumnMapping,
  occurrenceWarning,
  type SheetAnswers,
  type SheetWarning,
  UnreadableSheet,
} from './notices.ts';
import type { DecimalMark } from './readAmount.ts';
import type { Cell, SheetRecord } from './records.ts';
import { categoryReader, type InspectedRow, rowReader } from './rowReader.ts';
import { type SheetForm, textForm, type WorkbookSheet, workbookForm } from './sheetForm.ts';
import { settleColumns } from './suggestColumns.ts';
import { trimmed } from './thirdPartyCells.ts';

export interface InspectedSheet {
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
 * @param known the account's categories, as `loadCatalog` has them. Without them, only their ids are read
 * @throws UnreadableSheet if something has to be answered first; UnreadableFile if it is no sheet
 */
export function inspectSheet(
  source: Uint8Array | readonly WorkbookSheet[],
  answers: SheetAnswers = {},
  known?: readonly SheetCategory[],
): InspectedSheet {
  const form = source instanceof Uint8Array ? textForm(source, answers) : workbookForm(source, answers);
  const heading = findHeading(form.first, form.records, answers.header);
  const table = tableOf(form, heading, answers.edits);
  const categories = new Categories(known);
  const answer = readColumnsAnswer(answers.columns ?? '', table.names);
  const mapped = mapColumns(table.names, answer).map((column) => ({
    ...column,
    profile: new ColumnProfile(column.target),
  }));
  const warnings = profileColumns(table, mapped, categories);
  const { columns, questions } = settleColumns(mapped, answer, table.isOwn);
  const mapping = columns.map(({ profile, ...column }) => ({ ...column, examples: profile.examples }));
  const decimalMark = answers.decimal ?? inferDecimals(columns, table.isOwn, form.separator);
  if (typeof decimalMark !== 'string') throw new UnreadableSheet([...questions, decimalMark], mapping);
  if (questions.length > 0) throw new UnreadableSheet(questions, mapping);
  const separator = form.encoding === undefined ? undefined : form.separator;
  const read = rowReader(columns, { decimalMark, categories, isOwn: table.isOwn, separator });
  return {
    warnings: [
      ...form.warnings,
      ...titleWarning(table, answers),
      ...warnings,
      ...columns.flatMap((column) => column.profile.warnings(column, table.isOwn)),
      ...categories.warnings,
    ],
    columns: table.names,
    mapping,
    unknownCategories: categories.unknown,
    isExport: table.isOwn,
    texts: columns
      .filter(({ target = '', profile }) => isCustom(target) && !profile.isNumber(decimalMark))
      .map(({ name }) => name),
    encoding: form.encoding,
    separator: form.separator,
    header: heading.line,
    decimalMark,
    *rows() {
      for (const record of recordsBelow(table)) yield read(record);
    },
  };
}

/** A form whose columns have names. */
interface Table {
  readonly form: SheetForm;
  readonly heading: SheetRecord;
  readonly names: readonly string[];
  /** Whether it is an export of ours. */
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

/** Shows all records to the profiles of the columns. @returns what is odd about records */
function profileColumns(table: Table, columns: readonly Column[], categories: Categories): SheetWarning[] {
  const { form, heading } = table;
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
      columns[at]?.profile.note(line, cell, form.percents?.has(`${line}:${at}`) === true);
  }
  const warnings = [...seen].map(([rule, occurrence]) => occurrenceWarning(rule, recordWarnings[rule], occurrence));
  const none = `There are no rows below line ${heading.line}.`;
  if (isEmpty) warnings.unshift({ rule: 'no_rows', values: { line: heading.line }, text: none });
  return warnings;
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
