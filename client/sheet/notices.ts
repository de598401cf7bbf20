/** A notice about a sheet: a code with its values, for programs and other languages, and an English sentence. */
import type { FieldProblem } from '../../lib/item/fields.ts';
import type { DecimalMark } from './readAmount.ts';

type CellProblem = 'number' | 'decimal_mark' | 'currency' | 'boolean' | 'object' | 'id' | 'error_cell' | 'formula';
type CategoryProblem = 'unknown_category' | 'ambiguous_category' | 'category_id';
/** Why a cell or a row cannot be read. */
type ProblemRule = CellProblem | CategoryProblem | 'open_quote' | 'row_width';

type FormQuestion = 'encoding' | 'separator' | 'which_sheet' | 'no_such_sheet' | 'which_header' | 'no_such_line';
type ColumnQuestion = 'which_column' | 'column_twice' | 'long_key' | 'no_such_target' | 'no_such_column' | 'columns';
/** What only the user can know. */
type QuestionRule = FormQuestion | ColumnQuestion | 'decimal';

type FormWarning = 'no_rows' | 'below_title' | 'left_out_before' | 'quoted_lines' | 'merged_cells' | 'hidden_rows';
type RowWarning = 'repeated_heading' | 'wide_row' | 'stray_quote';
type ChangedCell = 'long_digits' | 'became_date' | 'became_number' | 'lost_digits' | 'wrong_encoding';
type CellWarning = 'no_value' | 'rounded' | 'percent_cells' | 'currency_left_out' | 'unit_left_out';
type CategoryWarning = 'category_mismatch' | 'unknown_categories';
/** An oddity of a sheet that is read all the same. */
type WarningRule = FormWarning | RowWarning | ChangedCell | CellWarning | CategoryWarning;

export type SheetRule = ProblemRule | QuestionRule | WarningRule;

type ImportRefusal = 'no_price' | 'taken_by_inactive' | 'not_of_export';
type ImportWarning = 'made_before' | 'differs_in_case' | 'total' | 'rounded_qty' | 'lost_zeros';
type ImportEnd = 'unreadable' | 'expired' | 'storage_unavailable' | 'not_secure' | 'not_loaded' | 'older_service';
/** What only an import asks, remarks or refuses. The other rules are those of sheets and of the contract. */
export type ImportRule = 'own_export' | ImportRefusal | ImportWarning | ImportEnd;

/** The user's answers about a file, where it is ambiguous or to be read in another way. */
export interface SheetAnswers {
  /** Such as `windows-1252`. */
  readonly encoding?: string | undefined;
  /** The name of a workbook's sheet. */
  readonly sheet?: string | undefined;
  /** A character. */
  readonly separator?: string | undefined;
  /** The line that names the columns; 0: none does. */
  readonly header?: number | undefined;
  /** The targets of columns: `Regular price=value,Barcode=pn,*=ignore`, `*=metadata` for custom fields. */
  readonly columns?: string | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** Texts typed over cells, by line and column. */
  readonly edits?: CellEdits | undefined;
}

/** Texts of cells by line and column. */
export type CellEdits = Readonly<Record<number, Readonly<Record<string, string>>>>;

export type NoticeValues = Readonly<Record<string, string | number | readonly string[]>>;

/** Why a cell, or a row, cannot be read. */
export interface SheetProblem extends FieldProblem {
  readonly rule: ProblemRule;
  readonly values: NoticeValues;
}

/** A question that only the user can answer. Nothing of the file can be written before. */
export interface SheetQuestion {
  /** The answer that is missing, or is wrong. */
  readonly option: 'encoding' | 'sheet' | 'separator' | 'header' | 'columns' | 'decimal';
  readonly rule: QuestionRule;
  readonly values: NoticeValues;
  readonly text: string;
  /** Answers that can be given, with what the file would say. */
  readonly readings: readonly { readonly answer: string; readonly shown: string }[];
}

export interface ColumnMapping {
  /** As it is in the file. A second one of a name has its number, and one without a name its place. */
  readonly name: string;
  /** A field, a custom field such as `metadata.color`, `id`, `revision`, `category_name`, or `ignore`. Undefined: unknown. */
  readonly target: string | undefined;
  /** Where the target is from: the column's name, the user's answer about it or about all others, or because it is empty. */
  readonly source: 'name' | 'answer' | 'others' | 'empty' | undefined;
  /** The likely target of an unknown column; `metadata`: a custom field of its name. It is not applied. */
  readonly suggestion?: string;
  /** Why it is suggested: its name says so, or what its cells look like. */
  readonly suggestedBy?: 'name' | 'cells';
  /** Its first cells that are not blank. */
  readonly examples?: readonly string[];
}

/**
 * A file of which nothing is read before the user has answered.
 * @example if (error instanceof UnreadableSheet) ask(error.questions);
 */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet';
  readonly questions: readonly SheetQuestion[];
  /** The columns with their targets, as far as these are known. */
  readonly mapping: readonly ColumnMapping[];
  /** The names of the columns that are unknown. */
  readonly columns: readonly string[];

  constructor(questions: readonly SheetQuestion[], mapping: readonly ColumnMapping[] = []) {
    super(questions.map(({ text }) => text).join(' '));
    [this.questions, this.mapping] = [questions, mapping];
    this.columns = mapping.filter(({ target }) => target === undefined).map(({ name }) => name);
  }
}

/** A sentence about what is read in spite of being odd. Equal cases are told together: the first, and how many. */
export interface SheetWarning {
  readonly rule: WarningRule;
  readonly values: NoticeValues;
  readonly text: string;
}

/** Why a cell cannot be read, in words that continue "<column> <cell> …". */
export class UnreadableCell extends Error {
  readonly rule: SheetProblem['rule'];
  readonly values: NoticeValues;

  constructor(rule: SheetProblem['rule'], cell: string, reason: string, more: NoticeValues = {}) {
    super(`${quotedCell(cell)} ${reason}`);
    this.rule = rule;
    this.values = { cell, ...more };
  }
}

/** A file that is no sheet, or cannot be read as one, with a sentence for the user. */
export class UnreadableFile extends Error {}

/** Where something is seen first, and how often. */
export interface Occurrence {
  readonly cell: string;
  readonly line: number;
  readonly count: number;
}

/** The first line with an oddity, and how often it occurs: `… (line 2 and 699 more).` */
export function occurrenceWarning(
  rule: SheetWarning['rule'],
  sentence: string,
  { line, count }: Pick<Occurrence, 'line' | 'count'>,
  values: NoticeValues = {},
): SheetWarning {
  const places = `line ${line}${count > 1 ? ` and ${count - 1} more` : ''}`;
  return { rule, values: { ...values, line, count }, text: `${sentence} (${places}).` };
}

/** A warning with the first of some lines and their number; none if there are none. */
export const linesWarning = (rule: SheetWarning['rule'], sentence: string, lines: readonly number[]): SheetWarning[] =>
  lines[0] === undefined ? [] : [occurrenceWarning(rule, sentence, { line: lines[0], count: lines.length })];

/** A cell as it is quoted in a sentence. */
export const quotedCell = (cell: string): string => `"${cell.length > 60 ? `${cell.slice(0, 60)}…` : cell}"`;
