import { fieldNames, type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { canonicalJson, type Json } from '../../lib/item/json.ts';
import { RepeatedRows } from '../../lib/item/repeatedRows.ts';
import { canonicalIdentifier } from '../../lib/item/text.ts';
import type { Schemas } from '../http/catalogClient.ts';
import { divideRows, type RowResult } from '../http/sendBatches.ts';
import type { PollOptions } from '../http/untilDone.ts';
import { nextTask } from '../http/wait.ts';

/** A new item, or with `id` what to change in one. */
export type Row = Schemas['Row'];

export type Reject = RowResult & {
  /** Its place among all rows, counted from 1. */
  readonly row: number;
  readonly error: Schemas['RowError'];
};

export interface RowOptions extends PollOptions {
  /** Updates the item that has this code of a row, if there is one. */
  readonly match?: IdentifierName | undefined;
  /** False refuses rows that neither name nor match an item. */
  readonly create?: boolean | undefined;
  /** How a reason names another row by its place among all, such as `line 7`; `row 6` unless given. */
  readonly nameOf?: ((row: number) => string) | undefined;
  /** A text with which equal rows are created once more. */
  readonly key?: string | undefined;
}

/** A row with its place among all rows, counted from 1. */
export interface PlacedRow {
  readonly place: number;
  readonly row: Row;
  /** The key of its creation. Undefined if it names an item. */
  readonly key: string | undefined;
  /** Whether it has a code that may be that of an item. */
  readonly isMatched: boolean;
}

/** A code of a row as it is compared. Undefined if the row has none. */
export function codeIn(row: Row, name: IdentifierName): string | undefined {
  const { [name]: code } = row;
  return typeof code === 'string' ? (canonicalIdentifier(code) ?? undefined) : undefined;
}

export const nameOf = ({ nameOf: name = (place) => `row ${place}` }: RowOptions, row: number): string => name(row);

/**
 * What a batch says besides its rows. All of it is in `match`, because a version of the service that did not know a member
 * beside it would ignore it, and write rows twice, or create those that may not be created.
 * @param keys for each row the key of its creation
 */
export const membersOf = ({ match: field, create }: RowOptions, keys?: readonly (string | undefined)[]) => ({
  match: {
    ...(field !== undefined && { field }),
    ...(create === false && { create }),
    ...(keys !== undefined && { keys: keys.map((key) => key ?? null) }),
  },
});

/** After so many rows, the page may draw. */
const rowsAtOnce = 500;

/** Divides rows into batches, always in the same way, because the key of a batch stands for its rows. */
export async function divide(rows: readonly Row[], options: RowOptions) {
  const { match, create, key = '' } = options;
  const taken = new RepeatedRows((row) => nameOf(options, row));
  const repeated: Reject[] = [];
  const kept: PlacedRow[] = [];
  const equal = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const place = index + 1;
    if (place % rowsAtOnce === 0) await nextTask();
    const problems = repetitions(row, taken, place);
    if (problems.length > 0) {
      repeated.push({ row: place, status: 422, error: invalidRow(problems) });
      continue;
    }
    const values = canonicalJson(valuesOf(row));
    const before = equal.get(values) ?? 0;
    equal.set(values, before + 1);
    const isNew = row.id === undefined;
    const isMatched = isNew && match !== undefined && codeIn(row, match) !== undefined;
    kept.push({ place, row, key: isNew ? await hashOf([key, values, before]) : undefined, isMatched });
  }
  const batches = divideRows(kept, ({ row }) => row);
  const sent = batches.map((batch) => batch.map(({ row }) => row));
  const hash = await hashOf([key, match ?? null, sent, ...(create === false ? [create] : [])]);
  return { batches, repeated, hash, taken };
}

/** The service sees one batch at a time, and writes rows in any order. */
function repetitions(row: Row, taken: RepeatedRows, place: number) {
  const repeated = row.id === undefined ? [] : taken.take('id', row.id, place);
  for (const name of identifierNames) {
    const code = codeIn(row, name);
    if (code !== undefined) repeated.push(...taken.take(name, code, place));
  }
  return repeated;
}

/** The error of a row with these problems, of which there is one. */
export const invalidRow = (fields: NonNullable<Schemas['RowError']['fields']>): Schemas['RowError'] => ({
  code: 'VALIDATION_FAILED',
  message: `Invalid field: ${fields[0]?.field}.`,
  fields,
});

/** The values of a row as the service compares them with those of an earlier create. */
function valuesOf(row: Row): { readonly [field: string]: Json } {
  const values: { [field: string]: Json } = {};
  for (const name of fieldNames) if (row[name] !== undefined) values[name] = row[name] as Json;
  for (const name of identifierNames) if (typeof row[name] === 'string') values[name] = codeIn(row, name) ?? null;
  if (typeof row.active === 'number') values['active'] = row.active === 1;
  return values;
}

async function hashOf(value: unknown): Promise<string> {
  // Over http in a local network, a page has none.
  if (!('subtle' in crypto)) throw new Error('Imports need a page that was loaded over https, or from this computer.');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
