import { roundHalfUp } from '../../lib/item/decimal.ts';
import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { jsonPointer } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Catalog, Schemas } from '../http/catalogClient.ts';
import { findTotals } from '../sheet/findTotals.ts';
import { expectsPrices, hasNoPrice } from '../sheet/missingPrices.ts';
import type { ColumnMapping } from '../sheet/notices.ts';
import type { SheetRow } from './1-read.ts';
import type { ImportRow, Outcome, RejectedRow, RejectProblem, Row, RowContent, RowOutcome, RowWarning } from './row.ts';
import { rejectedFor, withOutcome } from './row.ts';

/** What becomes known of a row. */
export type RowFact = readonly [row: RowContent, known: RowOutcome];

/** What the user says of the rows of a sheet: which items they are of, and whether others are created. */
export interface RowChoices {
  /** Items with the identifier of the row; those of its `id` and `revision`, as in an export; or none. */
  readonly match?: IdentifierName | 'id' | 'none' | undefined;
  /** False rejects rows without an item. */
  readonly create?: boolean | undefined;
  /** New items without a price: create them with 0, or skip them. */
  readonly withoutPrice?: 'create' | 'skip' | undefined;
}

const noCounts: Readonly<Record<Outcome, number>> = {
  unread: 0,
  create: 0,
  update: 0,
  reactivate: 0,
  unchanged: 0,
  duplicate: 0,
  rejected: 0,
  sending: 0,
  done: 0,
};

const nothingKnown = { place: undefined, key: undefined, sheetRow: undefined, cells: {}, outcome: 'unread' } as const;

/** The rows of an import by their lines, with what is known of each. */
export class ImportRows {
  readonly #rows = new Map<number, ImportRow>();
  readonly #counts = { ...noCounts };
  readonly #rejected = new Set<number>();
  readonly #isSheet: boolean;

  constructor(rows: Iterable<ImportRow>, isSheet = false) {
    this.#isSheet = isSheet;
    for (const row of rows) this.set(row);
  }

  /** @param lines of the rows in their file; without one, they are named by their places */
  static of(rows: readonly Row[], lines?: readonly number[]): ImportRows {
    const unread = rows.map((body, index): ImportRow => {
      const place = index + 1;
      return { ...nothingKnown, line: lines?.[index] ?? place, place, body };
    });
    return new ImportRows(unread, lines !== undefined);
  }

  static ofSheet(rows: readonly SheetRow[]): ImportRows {
    const unread = rows.map((row): ImportRow => {
      const { line, body, cells } = row;
      return { ...nothingKnown, line, body, cells, sheetRow: row };
    });
    return new ImportRows(unread, true);
  }

  /** In the order of the file. */
  get all(): readonly ImportRow[] {
    return [...this.#rows.values()];
  }

  get size(): number {
    return this.#rows.size;
  }

  get counts(): Readonly<Record<Outcome, number>> {
    return { ...this.#counts };
  }

  /** Those that can be sent. */
  get sendable(): readonly ImportRow[] {
    return this.all.filter(({ place }) => place !== undefined);
  }

  /** In the order of the file. */
  get rejected(): readonly RejectedRow[] {
    const lines = [...this.#rejected].sort((a, b) => a - b);
    return lines.map((line) => this.#rows.get(line) as RejectedRow);
  }

  with(...outcomes: readonly Outcome[]): readonly ImportRow[] {
    return this.all.filter(({ outcome }) => outcomes.includes(outcome));
  }

  /** How a reason names a row. */
  nameOf = (line: number): string => `${this.#isSheet ? 'line' : 'row'} ${line}`;

  get(line: number): ImportRow | undefined {
    return this.#rows.get(line);
  }

  set(row: ImportRow): void {
    const before = this.#rows.get(row.line);
    if (before !== undefined) this.#counts[before.outcome] -= 1;
    this.#counts[row.outcome] += 1;
    this.#rows.set(row.line, row);
    if (row.outcome === 'rejected') this.#rejected.add(row.line);
    else this.#rejected.delete(row.line);
  }

  apply(facts: Iterable<RowFact>): void {
    for (const [row, known] of facts) this.set(withOutcome(row, known));
  }

  /** Forgets all rows but those that were rejected: the others are written. */
  keepRejected(): void {
    for (const { line, outcome } of this.all) {
      if (outcome === 'rejected') continue;
      this.#rows.delete(line);
      this.#counts[outcome] -= 1;
    }
  }

  /** Takes over rows that were read again. */
  replace(rows: Iterable<SheetRow>): void {
    for (const sheetRow of rows) {
      const row = this.#rows.get(sheetRow.line);
      if (row !== undefined) this.set(withOutcome({ ...row, sheetRow, cells: sheetRow.cells }, { outcome: 'unread' }));
    }
  }

  /** Forgets what is known of rows. They are previewed again. */
  forget(rows: readonly ImportRow[]): void {
    for (const row of rows) this.set(withOutcome(row, { outcome: 'unread' }));
  }
}

/**
 * Finds out which rows of a sheet can be sent if they are what the user says.
 * @param mayBeNew whether rows of an export with blank ids are new items
 */
export function prepareSheet(rows: ImportRows, choices: RowChoices, mayBeNew: boolean): void {
  let place = 0;
  for (const row of rows.all) {
    const { sheetRow } = row;
    if (sheetRow === undefined) continue;
    const problems = problemsIn(sheetRow, choices, mayBeNew);
    const isSendable = problems.length === 0;
    if (isSendable) place += 1;
    const content = { ...row, place: isSendable ? place : undefined, body: bodyOf(sheetRow, choices) };
    rows.set(withOutcome(content, isSendable ? row : rejectedFor(problems)));
  }
}

/** The new items without a price, where prices are expected. */
export function withoutPrice(rows: ImportRows, mapping: readonly ColumnMapping[]): readonly ImportRow[] {
  return expectsPrices(mapping) ? rows.with('create').filter(({ body }) => hasNoPrice(body)) : [];
}

/** Rejects new items without a price. */
export function skipWithoutPrice(rows: ImportRows, mapping: readonly ColumnMapping[]): void {
  rows.apply(withoutPrice(rows, mapping).map((row) => [row, rejectedFor([noPrice])]));
}

/** Warns of rows that seem to be totals of the rows above. */
export function warnOfTotals(rows: ImportRows): void {
  const totals = new Set(findTotals(rows.sendable));
  for (const row of rows.with('create')) if (totals.has(row.line)) rows.set({ ...row, warning: total });
}

/**
 * Keeps the stored type of custom values that a sheet of others writes the same: 38 is "38" where the item has that text.
 * @param isExport whether the sheet is an export, which marks texts
 */
export function keepStoredTypes(rows: ImportRows, isExport: boolean): void {
  for (const row of isExport ? [] : rows.with('update')) {
    const { body, changes = [], id = 0, revision = 0 } = row;
    const kept = changes.filter(isOnlyType);
    if (kept.length === 0) continue;
    const stored = Object.keys(body.metadata ?? {}).flatMap((key) => {
      const same = kept.find(({ path }) => path === jsonPointer([key]));
      return same === undefined ? [] : [[key, same.from]];
    });
    const metadata = { ...body.metadata, ...Object.fromEntries(stored) };
    const others = changes.filter((change) => !kept.includes(change));
    const outcome = others.length === 0 ? 'unchanged' : 'update';
    rows.set(withOutcome({ ...row, body: { ...body, metadata } }, { outcome, id, revision, changes: others }));
  }
}

const isOnlyType = ({ field, from, to }: Schemas['FieldChange']): boolean =>
  field === 'metadata' && typeof from !== typeof to && String(from) === String(to);

/** Warns of identifiers that lose their zeros in front, as spreadsheets take them for numbers. */
export function warnOfLostZeros(rows: ImportRows): void {
  for (const row of rows.with('update')) {
    const isLost = ({ field, from, to }: Schemas['FieldChange']) =>
      identifierNames.some((name) => name === field) && String(from) !== to && String(from).replace(/^0+/, '') === to;
    const lost = row.changes?.find(isLost);
    if (lost === undefined) continue;
    const text = `has the ${lost.field} ${lost.to}, which loses the zeros of ${lost.from}`;
    rows.set({
      ...row,
      warning: { rule: 'lost_zeros', field: lost.field, from: `${lost.from}`, to: `${lost.to}`, text },
    });
  }
}

/** Warns of quantities that the units of their items round. Of an update, the preview knows what it would become. */
export function warnOfRounding(rows: ImportRows, { units, defaults }: Pick<Catalog, 'units' | 'defaults'>): void {
  for (const row of rows.sendable) {
    const { type = 'product', qty: from, unit: given } = row.body;
    if (typeof from !== 'number' || row.warning !== undefined) continue;
    const changed = row.changes?.find(({ field }) => field === 'qty')?.to;
    const unit = given ?? (row.outcome === 'create' ? defaults[type].unit : undefined);
    const decimals = units.find((each) => each.unit === unit)?.decimals;
    const to = changed ?? (decimals === undefined ? from : roundHalfUp(from, decimals, limits.qty.max));
    if (typeof to !== 'number' || to === from) continue;
    const text = `has the quantity ${from}, which ${unit ?? 'its unit'} rounds to ${to}`;
    rows.set({ ...row, warning: { rule: 'rounded_qty', from, to, unit: unit ?? '', text } });
  }
}

const noPrice = { field: 'value', rule: 'no_price', reason: 'is blank, or so small that it is rounded to 0' } as const;

const total: RowWarning = { rule: 'total', text: 'has no code, and the sum of the prices above as its price' };

/** Why a row cannot be sent. */
function problemsIn(row: SheetRow, { match }: RowChoices, mayBeNew: boolean): readonly RejectProblem[] {
  const isWhole = row.invalid.every(({ field }) => field !== 'row');
  if (match !== 'id' || !isWhole) return row.invalid;
  return [...row.invalid, ...wrongTarget(row, mayBeNew)];
}

const isId = (number: number | undefined): number is number =>
  number !== undefined && Number.isSafeInteger(number) && number > 0;

/** A row of an export names its item, and the revision that it must have. With both blank, it is new, if it may be. */
function wrongTarget({ id, revision }: SheetRow, mayBeNew: boolean): RejectProblem[] {
  const wrong = Object.entries({ id, revision }).filter(([, number]) => !isId(number));
  if (wrong.length === 2 && mayBeNew) return [];
  return wrong.map(([field]) => ({ field, rule: 'not_of_export', reason: 'must be that of an export' }));
}

/** What is sent of a row. */
const bodyOf = ({ body, id, revision }: SheetRow, { match }: RowChoices): Row =>
  match === 'id' && isId(id) ? { ...body, id, revision } : body;
