// The rows of a sheet by the user's choices, and warnings about them.
import { roundHalfUp } from '../../lib/item/decimal.ts';
import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { jsonPointer } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Catalog, Client } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { loadItems } from '../items/readItems.ts';
import { expectsPrices, findTotals, hasNoPrice } from '../sheet/rowPrices.ts';
import type { SheetForm, SheetRow } from './1-read.ts';
import { type ImportRow, type RejectProblem, type Row, type RowWarning, rejectedFor, withOutcome } from './row.ts';
import type { ImportRows } from './rows.ts';

/** What the user says of the rows of a sheet: which items they are of, and whether others are created. */
export interface RowChoices {
  /** Items with the identifier of the row; those of its `id` and `revision`, as in an export; or none. */
  readonly match?: IdentifierName | 'id' | 'none' | undefined;
  /** False rejects rows without an item. */
  readonly create?: boolean | undefined;
  /** New items without a price: create them with 0, or skip them. */
  readonly withoutPrice?: 'create' | 'skip' | undefined;
}

interface SheetRows {
  readonly form: SheetForm;
  readonly rows: ImportRows;
}

/** Finds out which rows can be sent if they are what the user says. */
export function prepareRows({ form, rows }: SheetRows, { match, create }: RowChoices): void {
  const mayBeNew = create !== false && form.mapping.some(({ target }) => target === 'id');
  let place = 0;
  for (const row of rows.all) {
    const { sheetRow } = row;
    if (sheetRow === undefined) continue;
    const { id, revision, invalid } = sheetRow;
    const isReadable = invalid.every(({ field }) => field !== 'row');
    const isById = match === 'id' && isReadable;
    const problems = isById ? [...invalid, ...wrongTarget(sheetRow, mayBeNew)] : invalid;
    const body = isById && isId(id) ? { ...sheetRow.body, id, revision } : sheetRow.body;
    if (problems.length > 0) rows.set(withOutcome({ ...row, place: undefined, body }, rejectedFor(problems)));
    else {
      place += 1;
      rows.set({ ...row, place, body });
    }
  }
}

const isId = (number: number | undefined): number is number =>
  number !== undefined && Number.isSafeInteger(number) && number > 0;

/** A row of an export names its item, and the revision that it must have. With both blank, it is new, if it may be. */
function wrongTarget({ id, revision }: SheetRow, mayBeNew: boolean): RejectProblem[] {
  const wrong = Object.entries({ id, revision }).filter(([, number]) => !isId(number));
  if (wrong.length === 2 && mayBeNew) return [];
  return wrong.map(([field]) => ({ field, rule: 'not_of_export', reason: 'must be that of an export' }));
}

/** Rejects previewed rows that are to be skipped, keeps stored types, and warns of possibly unintended values. */
export function reviewRows(sheet: SheetRows, choices: RowChoices, catalog: Pick<Catalog, 'units' | 'defaults'>): void {
  const { form, rows } = sheet;
  // Without a place, no journal has it sent.
  if (choices.withoutPrice === 'skip')
    for (const row of withoutPrice(sheet)) rows.set(withOutcome({ ...row, place: undefined }, rejectedFor([noPrice])));
  if (!form.isExport) for (const row of rows.with('update')) rows.set(withStoredTypes(row));
  const totals = new Set(findTotals(rows.sendable));
  for (const row of rows.sendable) {
    const isTotal = row.outcome === 'create' && totals.has(row.line);
    const warning = isTotal ? total : (lostZeros(row) ?? row.warning ?? roundedQuantity(row, catalog));
    if (warning !== row.warning) rows.set({ ...row, warning });
  }
}

/** The new items without a price, where prices are expected. */
export const withoutPrice = ({ form, rows }: SheetRows): readonly ImportRow[] =>
  expectsPrices(form.mapping) ? rows.with('create').filter(({ body }) => hasNoPrice(body)) : [];

const noPrice = { field: 'value', rule: 'no_price', reason: 'is blank, or so small that it is rounded to 0' } as const;

const total: RowWarning = { rule: 'total', text: 'has no code, and the sum of the prices above as its price' };

/**
 * Keeps the stored type of custom values that the sheet writes the same: 38 is "38" where the item has that text. An export
 * marks texts.
 */
function withStoredTypes(row: ImportRow): ImportRow {
  const { changes = [], id = 0, revision = 0 } = row;
  const kept = changes.filter(({ field, from, to }) => field === 'metadata' && isSameText(from, to));
  if (kept.length === 0) return row;
  const body = bodyWith(row.body, (key) => kept.find(({ path }) => path === jsonPointer([key]))?.from);
  const others = changes.filter((change) => !kept.includes(change));
  const outcome = others.length === 0 ? 'unchanged' : 'update';
  return withOutcome({ ...row, body }, { outcome, id, revision, changes: others });
}

/** @param storedIn the value that the item has under a key */
function bodyWith(body: Row, storedIn: (key: string) => unknown): Row {
  const metadata = Object.entries(body.metadata ?? {}).map(([key, value]) => {
    const stored = storedIn(key);
    return [key, isSameText(stored, value) ? stored : value];
  });
  return { ...body, metadata: Object.fromEntries(metadata) };
}

const isSameText = (stored: unknown, value: unknown): boolean =>
  typeof stored !== typeof value && typeof stored !== 'object' && String(stored) === String(value);

/** An identifier loses its zeros in front, as spreadsheets take it for a number. */
function lostZeros({ outcome, changes = [] }: ImportRow): RowWarning | undefined {
  if (outcome !== 'update') return undefined;
  const lost = changes.find(
    ({ field, from, to }) =>
      identifierNames.some((name) => name === field) && String(from) !== to && String(from).replace(/^0+/, '') === to,
  );
  if (lost === undefined) return undefined;
  const [from, to] = [String(lost.from), String(lost.to)];
  const text = `has the ${lost.field} ${to}, which loses the zeros of ${from}`;
  return { rule: 'lost_zeros', field: lost.field, from, to, text };
}

/** A quantity is rounded by the unit of its item. Of an update, the preview knows what it would become. */
function roundedQuantity(
  { body, outcome, changes = [] }: ImportRow,
  { units, defaults }: Pick<Catalog, 'units' | 'defaults'>,
): RowWarning | undefined {
  const { type = 'product', qty: from, unit: given } = body;
  if (typeof from !== 'number') return undefined;
  const changed = changes.find(({ field }) => field === 'qty')?.to;
  const unit = given ?? (outcome === 'create' ? defaults[type].unit : undefined);
  const decimals = units.find((each) => each.unit === unit)?.decimals;
  const to = changed ?? (decimals === undefined ? from : roundHalfUp(from, decimals, limits.qty.max));
  if (typeof to !== 'number' || to === from) return undefined;
  const text = `has the quantity ${from}, which ${unit ?? 'its unit'} rounds to ${to}`;
  return { rule: 'rounded_qty', from, to, unit: unit ?? '', text };
}

/**
 * Compares rows with items that the preview has not shown: updates that may be written keep the stored types, as when they
 * were sent; and rejected rows whose identifiers belong to inactive items are marked, because lists do not show these.
 */
export async function compareItems(client: Client, { form, rows }: SheetRows, options: PollOptions): Promise<void> {
  const taken = rows.rejected.filter(({ problems }) => problems.some(isTaken));
  const sending = rows.with('sending').filter(({ body }) => body.metadata !== undefined && !form.isExport);
  const idsOfTaken = taken.flatMap(({ problems }) => problems.flatMap(({ item = [] }) => item));
  const ids = new Set([...idsOfTaken, ...sending.flatMap(({ id = [] }) => id)]);
  const load = () => loadItems(client, [...ids], options);
  const found = (await retryUntilDone(load, { ...options, inBackground: true })) ?? [];
  const items = new Map(found.map((item) => [item.id, item]));
  for (const row of sending) {
    const stored = new Map(Object.entries(items.get(row.id ?? 0)?.metadata ?? {}));
    rows.set({ ...row, body: bodyWith(row.body, (key) => stored.get(key)) });
  }
  for (const row of taken) {
    const problems = row.problems.map((problem) => {
      const { item = 0 } = problem;
      if (!isTaken(problem) || items.get(item)?.active !== false) return problem;
      const reason = `is used by item ${item}, which is inactive: update it, with true as "active", or change the ${problem.field}`;
      return { ...problem, rule: 'taken_by_inactive', reason };
    });
    rows.set({ ...row, problems });
  }
}

/** Has rows whose identifiers belong to inactive items update these, and make them active. */
export function reactivateItems(rows: ImportRows): void {
  for (const row of rows.rejected) {
    const { sheetRow, problems } = row;
    const id = problems.find(({ rule }) => rule === 'taken_by_inactive')?.item;
    if (sheetRow === undefined || id === undefined) continue;
    const update = { ...sheetRow, body: { ...sheetRow.body, id, active: true } };
    rows.set(withOutcome({ ...row, sheetRow: update }, { outcome: 'unread' }));
  }
}

const isTaken = ({ rule }: RejectProblem): boolean => rule === 'taken';
