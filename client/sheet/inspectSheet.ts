/** Finds out what the file of anybody says, by looking at all of it. Browsers and operators share it. */

import { Categories, type SheetCategory, type UnknownCategory } from './categories.ts';
import { type Column, ColumnProfile, inferDecimals } from './columnProfile.ts';
import { foldedName, isExport, mapColumns, namesOf, readColumnsAnswer } from './columns.ts';
import { harmless } from './csvLine.ts';
import { isAmount, isCustom } from './exportCells.ts';
import type { CellEdits, ColumnMapping, SheetAnswers, SheetWarning } from './notices.ts';
import { linesWarning, UnreadableSheet } from './notices.ts';
import type { DecimalMark } from './readAmount.ts';
import type { Cell, SheetRecord } from './records.ts';
import { categoryReader, type InspectedRow, rowReader } from './rowReader.ts';
import { findHeading, type SheetForm, textForm, type WorkbookSheet, workbookForm } from './sheetForm.ts';
import { settleColumns } from './suggestColumns.ts';
import { trimmed } from './thirdPartyCells.ts';

export interface InspectedSheet {
  /** Oddities that do not keep the sheet from being read. */
  readonly warnings: readonly SheetWarning[];
  readonly columns: readonly string[];
  /** The target of each column. */
  readonly mapping: readonly ColumnMapping[];
  /** Categories of the file that the account does not have. Their rows are invalid. */
  readonly unknownCategories: readonly UnknownCategory[];
  /** Whether it is an export of this service, which is read cell by cell. */
  readonly isExport: boolean;
  /** The columns whose cells are texts, although some look like numbers. An export marks those itself. */
  readonly texts: readonly string[];
  /** Undefined for a workbook. */
  readonly encoding: string | undefined;
  /** The file's separator, or for a workbook that of its rejects. */
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
  const heading = findHeading(form.records, answers.header);
  const written = heading.cells.map(String);
  const isOwn = isExport(written);
  const names = namesOf(isOwn ? written : written.map(columnName));
  const { separator } = form;
  const { records, repeated } = recordsBelow(form, heading, names, answers.edits);
  const answer = readColumnsAnswer(answers.columns ?? '', names);
  const mapped = mapColumns(names, answer).map((column) => ({ ...column, profile: new ColumnProfile(column.target) }));
  const categories = new Categories(known);
  profile(records, mapped, categories, form.percents);
  const { columns, questions } = settleColumns(mapped, answer, isOwn);
  const mapping = columns.map(({ profile: { examples }, ...column }) => ({ ...column, examples }));
  const decimalMark = answers.decimal ?? inferDecimals(columns, isOwn, separator ?? ',');
  if (typeof decimalMark !== 'string') throw new UnreadableSheet([...questions, decimalMark], mapping);
  if (questions.length > 0) throw new UnreadableSheet(questions, mapping);
  const read = rowReader(columns, { decimalMark, categories, isOwn, separator });
  return {
    warnings: [
      ...form.warnings,
      ...(answers.header === undefined ? titleWarning(form, heading) : []),
      ...recordWarnings(records, repeated, heading, separator === ',' && columns.some(isAmountColumn)),
      ...columns.flatMap((column) => column.profile.warnings(column, isOwn)),
      ...categories.warnings,
    ],
    columns: names,
    mapping,
    unknownCategories: categories.unknown,
    isExport: isOwn,
    texts: columns
      .filter(({ target = '', profile: seen }) => !isOwn && isCustom(target) && !seen.isNumber(decimalMark))
      .map(({ name }) => name),
    encoding: form.encoding,
    separator: separator ?? ',',
    header: heading.line,
    decimalMark,
    *rows() {
      for (const record of records) yield read(record);
    },
  };
}

/** Without blanks, and without the apostrophe that keeps a spreadsheet from running it. */
function columnName(written: string): string {
  const name = trimmed(written);
  return name.startsWith("'") && harmless(name.slice(1)) === name ? name.slice(1) : name;
}

/**
 * The records below the heading, apart from those that repeat it, such as at the top of each printed page, or where two files
 * were joined.
 */
function recordsBelow(
  form: SheetForm,
  heading: SheetRecord,
  names: readonly string[],
  edits: CellEdits = {},
): { readonly records: readonly SheetRecord[]; readonly repeated: readonly number[] } {
  // An item of a mere list of names may be called "Name".
  const folded = (cell: Cell = '') => (heading.cells.length > 1 ? foldedName(String(cell)) : cell);
  const namesAbove = heading.cells.map(folded);
  const isRepeated = ({ cells }: SheetRecord) =>
    heading.line > 0 && namesAbove.every((name, at) => name === folded(cells[at]));
  const below = form.records.filter(({ line }) => line > heading.line).map((record) => edited(record, names, edits));
  return { records: below.filter((record) => !isRepeated(record)), repeated: linesOf(below.filter(isRepeated)) };
}

const linesOf = (records: readonly SheetRecord[]): number[] => records.map(({ line }) => line);

/** A record with what was typed over its cells. Cells without a column are left out. */
function edited(record: SheetRecord, names: readonly string[], edits: CellEdits): SheetRecord {
  const { line, cells } = record;
  if (edits[line] === undefined) return record;
  const typed = new Map(Object.entries(edits[line]));
  return { line, cells: names.map((name, at) => typed.get(name) ?? cells[at] ?? '') };
}

/** Collects what the columns and the categories need to know of all records. */
function profile(
  records: readonly SheetRecord[],
  columns: readonly Column[],
  categories: Categories,
  percents: SheetForm['percents'],
): void {
  const pairOf = categoryReader(columns);
  for (const { line, cells, isBroken } of records) {
    if (isBroken === true) continue;
    categories.note(line, pairOf(cells));
    for (const [at, cell] of cells.slice(0, columns.length).entries())
      columns[at]?.profile.note(line, cell, percents?.has(`${line}:${at}`) === true);
  }
}

const isAmountColumn = ({ target = 'ignore' }: ColumnMapping): boolean => isAmount(target);

/** @param mayHaveDecimalCommas whether a decimal comma would divide a number in two cells */
function recordWarnings(
  records: readonly SheetRecord[],
  repeated: readonly number[],
  heading: SheetRecord,
  mayHaveDecimalCommas: boolean,
): SheetWarning[] {
  const { line } = heading;
  const none: SheetWarning = { rule: 'no_rows', values: { line }, text: `There are no rows below line ${line}.` };
  const stray = records.filter(({ hasStrayQuote }) => hasStrayQuote);
  const wide = mayHaveDecimalCommas ? records.filter(({ cells }) => cells.length > heading.cells.length) : [];
  return [
    ...(records.length === 0 ? [none] : []),
    ...linesWarning('repeated_heading', 'The names of the columns are repeated, and left out', repeated),
    ...linesWarning('stray_quote', 'A cell goes on after its closing quote, so its quotes are kept', linesOf(stray)),
    ...linesWarning('wide_row', tooWide, linesOf(wide)),
  ];
}

const tooWide = 'Rows have more commas than the names of the columns: a number with a decimal comma needs quotes';

function titleWarning({ records: [top] }: SheetForm, { line }: SheetRecord): SheetWarning[] {
  if (line <= (top?.line ?? 1)) return [];
  const text = `Line ${line} is taken for the names of the columns. What is above it is not read.`;
  return [{ rule: 'below_title', values: { line }, text }];
}
