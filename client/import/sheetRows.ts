import { findTotals } from '../sheet/findTotals.ts';
import { expectsPrices, hasNoPrice } from '../sheet/missingPrices.ts';
import type { Reject } from './importRows.ts';
import type { LookedRow, RejectedRow, RejectProblem, RowChoices, SheetForm } from './importState.ts';
import type { Look } from './lookAtRows.ts';
import type { ColumnMapping, SheetRow } from './readSheet.ts';
import type { LookWarning, RowLook } from './rowLook.ts';
import type { Row, RowError } from './rows.ts';

/** The rows of a sheet that are not written, what is known of them, and the rejects. */
export class SheetRows {
  #form: SheetForm;
  /** By line, in the order of the file. */
  #rows: ReadonlyMap<number, SheetRow>;
  #problems = new Map<number, readonly RejectProblem[]>();
  /** What is known of rows by their lines, so that a look at others need not ask for them again. */
  readonly #known = new Map<number, RowLook>();
  readonly #rejected = new Map<number, readonly RejectProblem[]>();
  /** What is typed over the cells of rejects, by line and column. */
  readonly #typed = new Map<number, Readonly<Record<string, string>>>();
  /** Those that can be written. */
  readable: readonly SheetRow[] = [];
  /** The last complete look at those that can be written. */
  look: Look | undefined;

  constructor(form: SheetForm, rows: readonly SheetRow[]) {
    this.#form = form;
    this.#rows = new Map(rows.map((row) => [row.line, row]));
  }

  /** What the file says, besides its rows. */
  get form(): SheetForm {
    return this.#form;
  }

  /** In the order of their lines. */
  get rejected(): readonly RejectedRow[] {
    return [...this.#rows.values()].flatMap((row): RejectedRow[] => {
      const problems = this.#rejected.get(row.line);
      return problems === undefined ? [] : [{ ...row, problems, typed: this.#typed.get(row.line) ?? {} }];
    });
  }

  lineOf = (place: number): number => this.readable[place - 1]?.line ?? 0;

  /** Finds out which rows can be written if they are what the user says. */
  divide(choices: RowChoices, isKnown: boolean): void {
    const rows = [...this.#rows.values()];
    const mayBeNew = choices.create !== false && this.form.mapping.some(({ target }) => target === 'id');
    const wrongOf = (row: SheetRow) => (choices.match === 'id' && isWhole(row) ? wrongTarget(row, mayBeNew) : []);
    const wrongIn = (row: SheetRow) => [...row.invalid, ...wrongOf(row)];
    this.#problems = new Map(rows.map((row) => [row.line, wrongIn(row)]));
    const isRight = ({ line }: SheetRow) => this.#problems.get(line)?.length === 0;
    this.readable = rows.filter(isRight);
    this.look = undefined;
    this.#rejected.clear();
    if (!isKnown) this.#known.clear();
  }

  /** What an earlier look has found, by the places of the rows that can be written. */
  get known(): readonly (RowLook | undefined)[] {
    return this.readable.map(({ line }) => this.#known.get(line));
  }

  /** The lines of new items without a price, where prices are expected. */
  get withoutPrice(): readonly number[] {
    const isNew = ({ line }: SheetRow) => this.#known.get(line)?.verdict === 'new' && !this.#rejected.has(line);
    if (!expectsPrices(this.form.mapping)) return [];
    return this.readable.filter((row) => isNew(row) && hasNoPrice(row.body)).map(({ line }) => line);
  }

  /** Makes rejects of new items without a price. */
  leaveWithoutPrice(): void {
    const { look } = this;
    const lines = new Set(this.withoutPrice);
    if (look === undefined || lines.size === 0) return;
    for (const line of lines) this.#rejected.set(line, [noPrice]);
    const error = { code: 'VALIDATION_FAILED', message: 'A price is missing.', fields: [noPrice] };
    const withoutPrice: RowLook = { verdict: 'refused', error };
    const rows = look.rows.map((row, index) => (lines.has(this.lineOf(index + 1)) ? withoutPrice : row));
    const { new: created, refused: before } = look.counts;
    const counts = { ...look.counts, new: created - lines.size, refused: before + lines.size };
    this.look = { ...look, rows, counts };
  }

  lookedAt(look: Look): void {
    this.look = look;
    for (const [index, { line }] of this.readable.entries()) {
      const { [index]: row = refused } = look.rows;
      if (row.error === undefined) this.#known.set(line, row);
      else this.#rejected.set(line, problemsOf(row.error));
    }
    for (const [line, problems] of this.#problems) if (problems.length > 0) this.#rejected.set(line, problems);
  }

  /** Rows in the order of their lines, each with what would become of it. */
  get looks(): readonly LookedRow[] {
    const totals = new Set(findTotals(this.readable));
    const lookOf = (line: number): RowLook => {
      const look = this.#rejected.has(line) ? refused : (this.#known.get(line) ?? refused);
      return look.verdict === 'new' && totals.has(line) ? { ...look, warning: total } : look;
    };
    return [...this.#rows.values()].map(({ line, body }) => ({
      ...lookOf(line),
      line,
      name: body.name ?? body.sku ?? body.pn ?? '',
      body,
    }));
  }

  /** Takes over what was refused when it was written. */
  refuse(rejects: readonly Reject[]): void {
    for (const { row, error } of rejects) this.#rejected.set(this.lineOf(row), problemsOf(error));
  }

  type(line: number, column: string, text: string): void {
    this.#typed.set(line, { ...this.#typed.get(line), [column]: text });
  }

  /** Leaves the rejects: the other rows are written. */
  keepRejected(): void {
    this.#rows = new Map([...this.#rows].filter(([line]) => this.#rejected.has(line)));
  }

  /** The rejects that were typed over, with what was typed. */
  get typed(): readonly RejectedRow[] {
    return this.rejected.filter(({ line }) => this.#typed.has(line)).map(withTyped);
  }

  /** The rejects whose categories were missing, which have been added but for archived ones. */
  takeUncategorised(): readonly RejectedRow[] {
    const unknownCategories = this.#form.unknownCategories.filter(({ isArchived }) => isArchived);
    const warnings = this.#form.warnings.filter(({ rule }) => rule !== 'unknown_categories');
    this.#form = { ...this.#form, unknownCategories, warnings };
    const isMissing = ({ rule }: RejectProblem) => rule === 'unknown_category';
    return this.rejected.filter(({ problems }) => problems.some(isMissing)).map(withTyped);
  }

  /** @param mended those that were typed over, as they were read again */
  mend(typed: readonly RejectedRow[], mended: readonly SheetRow[]): void {
    const read = new Map(typed.map(({ line }, index) => [line, mended[index] ?? { body: {}, invalid: [] }]));
    this.#rows = new Map([...this.#rows].map(([line, row]) => [line, { ...row, ...read.get(line), line }]));
    for (const { line } of typed) {
      this.#typed.delete(line);
      this.#known.delete(line);
    }
  }
}

const withTyped = (row: RejectedRow): RejectedRow => ({ ...row, cells: { ...row.cells, ...row.typed } });

const noPrice = { field: 'value', rule: 'no_price', reason: 'is blank, or so small that it is rounded to 0' } as const;

const total: LookWarning = { rule: 'total', text: 'has no code, and the sum of the prices above as its price' };

const refused: RowLook = { verdict: 'refused' };

const isWhole = ({ invalid }: SheetRow): boolean => invalid.every(({ field }) => field !== 'row');

const isId = (number: number | undefined): number is number =>
  number !== undefined && Number.isSafeInteger(number) && number > 0;

/** A row of an export names its item, and the revision that it must have. With both blank, it is new, if it may be. */
function wrongTarget({ id, revision }: SheetRow, mayBeNew: boolean): RejectProblem[] {
  const wrong = Object.entries({ id, revision }).filter(([, number]) => !isId(number));
  if (wrong.length === 2 && mayBeNew) return [];
  return wrong.map(([field]) => ({ field, rule: 'not_of_export', reason: 'must be that of an export' }));
}

/** What is sent of a row. */
export const bodyOf = ({ body, id, revision }: SheetRow, { match }: RowChoices): Row =>
  match === 'id' && isId(id) ? { ...body, id, revision } : body;

/** What is wrong with a row: the fields at fault, or the row as a whole. */
const problemsOf = ({ fields, message, code, by }: RowError): readonly RejectProblem[] =>
  fields ?? [{ field: '', rule: code.toLowerCase(), reason: message.replace(/\.$/, ''), by }];

/** As `SheetAnswers` have it. What is not told is left out of the file. */
export const columnsOf = (
  columns: readonly ColumnMapping[],
  targetOf: (column: ColumnMapping) => string | undefined,
): string => columns.map((column) => `${column.name}=${targetOf(column) ?? 'ignore'}`).join(',');
