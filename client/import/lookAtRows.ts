import { canonicalIdentifier } from '../../lib/item/text.ts';
import type { Client, FieldError, Schemas } from '../http/catalogClient.ts';
import { divideRows, noResult, type RowResult, sendBatches } from '../http/sendBatches.ts';
import { untilDone } from '../http/untilDone.ts';
import { loadItems } from '../items/readItems.ts';
import {
  codeIn,
  divide,
  invalidRow,
  membersOf,
  nameOf,
  type PlacedRow,
  type Row,
  type RowOptions,
} from './importBatches.ts';

export interface RowLook {
  /**
   * `unchanged` and `known` are not written; `known` was created from an equal row within a day. `returning` was, too, and
   * has been made inactive since: it gets the row's values again.
   */
  readonly verdict: 'new' | 'changed' | 'unchanged' | 'known' | 'returning' | 'refused';
  readonly id?: number | undefined;
  /** What would change in it, except what the user may not see. Values above 1 KB are omitted. */
  readonly changes?: readonly Schemas['FieldChange'][] | undefined;
  readonly error?: Schemas['RowError'] | undefined;
  /** What may not be meant, as the rest of a sentence that begins with the row. */
  readonly warning?: string | undefined;
  /** What is written instead of the row. */
  readonly row?: Row;
  /** Of the creation of a new item. */
  readonly key?: string | undefined;
}

export interface Look {
  /** By place, counted from 0. Complete, and final, when nothing is left. */
  readonly rows: readonly RowLook[];
  readonly counts: Readonly<Record<RowLook['verdict'], number>>;
  readonly left: number;
}

/**
 * Finds out what `importRows` would do with equal rows and options, and writes nothing.
 * @returns the look at the beginning and after each batch, the last one for `importRows`. An aborted signal ends it early
 * @throws RequestError if the user may not write
 * @example for await (const { counts } of lookAtRows(client, rows, { match: 'sku' })) show(counts);
 */
export async function* lookAtRows(
  client: Client,
  rows: readonly Row[],
  options: RowOptions,
): AsyncGenerator<Look, void> {
  const { batches, repeated, taken } = await divide(rows, options);
  const looks: RowLook[] = [];
  // Until the end, what was settled can still change.
  const look = (isEnd = false): Look => {
    const counts = { new: 0, changed: 0, unchanged: 0, known: 0, returning: 0, refused: 0 };
    const settled = Object.values(looks);
    for (const { verdict } of settled) counts[verdict] += 1;
    const left = rows.length - settled.length;
    return { rows: looks, counts, left: isEnd ? left : Math.max(left, 1) };
  };
  async function* ask(
    asked: readonly PlacedRow[],
    members: RowOptions,
    settle: (one: PlacedRow, result: RowResult) => RowLook | undefined,
  ) {
    for await (const answers of dryRun(client, asked, members, options)) {
      for (const { result, ...one } of answers) {
        const settled = settle(one, result);
        if (settled !== undefined) looks[one.place - 1] = settled;
      }
      yield look();
    }
  }
  for (const { row, error } of repeated) looks[row - 1] = { verdict: 'refused', error };
  yield look();
  /** Rows from which an item was created, as its updates; and those whose code another item has got since. */
  const [created, moved]: [PlacedRow[], PlacedRow[]] = [[], []];
  yield* ask(batches.flat(), options, (one, result) => {
    if (result.replayed !== true || result.id === undefined) return lookOf(one, result);
    created.push({ ...one, row: { ...one.row, id: result.id, active: one.row.active ?? true } });
    return undefined;
  });
  yield* ask(created, {}, (one, result) => {
    if (!one.isMatched || result.error?.code !== 'ITEM_ALREADY_EXISTS') return lookAgain(one, result, options);
    moved.push({ ...one, row: rows[one.place - 1] ?? {}, key: undefined });
    return undefined;
  });
  yield* ask(moved, options, lookOf);
  const isStopped = () => options.signal?.aborted === true;
  if (isStopped()) return;
  for (const [index, { verdict, id }] of looks.entries()) {
    const again = id === undefined || verdict === 'known' ? [] : taken.take('id', id, index + 1);
    if (again.length > 0) looks[index] = { verdict: 'refused', error: invalidRow(again) };
  }
  await tellMoves(client, rows, looks, options);
  await warnOfCase(client, rows, looks, options);
  if (!isStopped()) yield look(true);
}

/** Tells what the service would answer to rows, a batch at a time. */
async function* dryRun(
  client: Client,
  asked: readonly PlacedRow[],
  members: RowOptions,
  options: RowOptions,
): AsyncGenerator<(PlacedRow & { readonly result: RowResult })[], void> {
  const batches = divideRows(asked, ({ row }) => row).map((some) => ({
    some,
    body: {
      ...membersOf(
        members,
        some.map(({ row, key }) => (row.id === undefined ? key : undefined)),
      ),
      dry_run: true,
      rows: some.map(({ row }) => row),
    },
  }));
  for await (const { batch, results } of sendBatches(client, batches, options)) {
    const placeAt = (row: number) => batch.some[row - 1]?.place ?? 0;
    yield batch.some.map((one, index) => ({ ...one, result: inPlace(results[index] ?? noResult, placeAt, options) }));
  }
}

function lookOf({ key }: PlacedRow, { error, status, id, changes }: RowResult): RowLook {
  if (error !== undefined) return { verdict: 'refused', error };
  if (status === 201) return { verdict: 'new', key };
  return { verdict: changes?.length === 0 ? 'unchanged' : 'changed', id, changes };
}

/** @param one a row whose item an equal row has created, and the answer to it as an update */
function lookAgain(one: PlacedRow, result: RowResult, { match }: RowOptions): RowLook {
  const { row, key, isMatched } = one;
  const { error, id, revision = 1, changes = [] } = result;
  const isChanged = (name: string | undefined) => changes.some(({ field }) => field === name);
  // A deleted item is created again.
  if (error?.code === 'ITEM_NOT_FOUND') return { verdict: 'new', key: `${key}.${row.id}` };
  if (error !== undefined) return { verdict: 'refused', error };
  if (isChanged('active')) return { verdict: 'returning', id, changes, row: { ...row, revision: revision - 1 } };
  if (isMatched && !isChanged(match)) return lookOf(one, result);
  const warning = `has made item ${id}, which was changed since`;
  return { verdict: 'known', id, ...(changes.length > 0 && { warning }) };
}

const isHeld = (field: FieldError): field is Schemas['TakenIdentifier'] => 'item' in field;

/** Of a row that wants the code of an item, and another one that gives that item another code, only one may be written. */
async function tellMoves(client: Client, rows: readonly Row[], looks: RowLook[], options: RowOptions): Promise<void> {
  const { match } = options;
  const ids = looks.flatMap(({ error }) => (error?.fields ?? []).filter(isHeld).map(({ item }) => item));
  if (ids.length === 0) return;
  const load = () => loadItems(client, [...new Set(ids)], options);
  const holders = new Map((await untilDone(load, { ...options, inBackground: true }))?.map((item) => [item.id, item]));
  const places = new Map(rows.map((row, index) => [row.id ?? (match && codeIn(row, match)), index] as const));
  const told = (field: FieldError) => {
    if (!isHeld(field)) return field;
    const holder = holders.get(field.item);
    if (holder === undefined) return field;
    const index = places.get(holder.id) ?? places.get((match && holder[match]) ?? '') ?? -1;
    const { [index]: { [field.field]: wanted } = {} } = rows;
    if (wanted === undefined || canonicalIdentifier(wanted ?? '') === holder[field.field]) return field;
    return { ...field, reason: `has the code of ${nameOf(options, index + 1)}: import the two one after the other` };
  };
  for (const [index, { verdict, error }] of looks.entries())
    if (error?.fields !== undefined) looks[index] = { verdict, error: { ...error, fields: error.fields.map(told) } };
}

/** Other systems take codes for one that differ only in case. */
async function warnOfCase(client: Client, rows: readonly Row[], looks: RowLook[], options: RowOptions): Promise<void> {
  const { match } = options;
  if (match === undefined) return;
  const variants = looks.flatMap(({ verdict }, index): PlacedRow[] => {
    const code = (verdict === 'new' && codeIn(rows[index] ?? {}, match)) || '';
    const others = [...new Set([code.toUpperCase(), code.toLowerCase()])].filter((one) => one !== code);
    return others.map((one) => ({ place: index + 1, row: { [match]: one }, key: undefined, isMatched: true }));
  });
  for await (const answers of dryRun(client, variants, { match, create: false }, options))
    for (const { place, row, result } of answers) {
      const warning = `has a ${match} that differs only in case from ${row[match]}, which item ${result.id} has`;
      const { [place - 1]: look } = looks;
      if (result.id !== undefined && look !== undefined) looks[place - 1] = { ...look, warning };
    }
}

/** Names the other row in the reasons of a result by its place among all, not in its batch. */
function inPlace(result: RowResult, placeAt: (row: number) => number, options: RowOptions): RowResult {
  const { error } = result;
  if (error?.fields === undefined) return result;
  const fields = error.fields.map((field) => {
    if (!('row' in field) || field.row === undefined) return field;
    const row = placeAt(field.row);
    return { ...field, row, reason: `is also in ${nameOf(options, row)}` };
  });
  return { ...result, error: { ...error, fields } };
}
