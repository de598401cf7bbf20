import { fieldNames, type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { canonicalJson, type Json } from '../../lib/item/json.ts';
import { canonicalIdentifier } from '../../lib/item/text.ts';
import type { FieldError, Schemas } from '../http/catalogClient.ts';
import type { PollOptions } from '../http/retryUntilDone.ts';
import { NotSecure } from './importFailure.ts';

/** A new item, or with `id` what to change in one. */
export type Row = Schemas['Row'];

export interface RowOptions extends PollOptions {
  /** Updates the item that has this code of a row, if there is one. */
  readonly match?: IdentifierName | undefined;
  /** False refuses rows that neither name nor match an item. */
  readonly create?: boolean | undefined;
  /** How a reason names another row by its place among all, such as `line 7`; `row 6` unless given. */
  readonly nameOf?: ((place: number) => string) | undefined;
  /** A text with which equal rows are created once more. */
  readonly key?: string | undefined;
}

/** What is wrong with a row: by the contract, or by what the user has chosen. */
type RowProblem = FieldError | { readonly field: string; readonly reason: string; readonly rule: 'no_price' };

export interface RowError extends Omit<Schemas['RowError'], 'fields'> {
  readonly fields?: readonly RowProblem[] | undefined;
}

/** A code of a row as it is compared. Undefined if the row has none. */
export function codeIn(row: Row, name: IdentifierName): string | undefined {
  const { [name]: code } = row;
  return typeof code === 'string' ? (canonicalIdentifier(code) ?? undefined) : undefined;
}

/** The error of a row with these problems, of which there is one. */
export const invalidRow = (fields: readonly RowProblem[]): RowError => ({
  code: 'VALIDATION_FAILED',
  message: `Invalid field: ${fields[0]?.field}.`,
  fields,
});

/** The values of a row as the service compares them with those of an earlier create. */
export function valuesOf(row: Row): string {
  const values: { [field: string]: Json } = {};
  for (const name of fieldNames) if (row[name] !== undefined) values[name] = row[name] as Json;
  for (const name of identifierNames) if (typeof row[name] === 'string') values[name] = codeIn(row, name) ?? null;
  if (typeof row.active === 'number') values['active'] = row.active === 1;
  return canonicalJson(values);
}

/** @throws NotSecure */
export async function hashOf(value: unknown): Promise<string> {
  if (!('subtle' in crypto)) throw new NotSecure();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
