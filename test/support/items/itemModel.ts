import type { JsonObject } from '../../../lib/item/json.ts';

/**
 * What a request does to an item, written plainly and apart from the service's own rules, for the values that tests
 * use: numbers of at most seven decimals and within their bounds, and texts that only the form of sku and pn changes.
 */

/** The fields of an item that requests set, each with a value or null. */
export type ItemState = JsonObject;

export const fields = 'name type category value qty unit description active cost tax sku pn tag metadata'.split(' ');

const decimals: Readonly<Record<string, number>> = { un: 0, hour: 2, kg: 3, g: 0 };

const mostKeys = 100;

/** Rounds half up, in whole ten-millionths. */
function rounded(value: number, places: number): number {
  const unit = 10n ** BigInt(7 - places);
  const whole = (BigInt(Math.round(value * 1e7)) + unit / 2n) / unit;
  const result = Number(whole) / 10 ** places;
  return result > 99_999_999.9999 ? Number(whole - 1n) / 10 ** places : result;
}

const merged = (current: JsonObject, sent: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries({ ...current, ...sent }).filter(([key, value]) => !(Object.hasOwn(sent, key) && value === null)),
  );

const identifier = (sent: unknown): string | null => (typeof sent === 'string' && sent.trim().normalize('NFC')) || null;

export function created(body: JsonObject): ItemState {
  const type = body['type'] ?? 'product';
  return updated(
    {
      ...{ name: '', type, category: 1, value: 0, qty: 1, unit: type === 'service' ? 'hour' : 'un' },
      ...{ description: null, active: true, cost: 0, tax: 0, sku: null, pn: null, tag: null, metadata: {} },
    },
    body,
  );
}

export function updated(state: ItemState, body: JsonObject): ItemState {
  const next: Record<string, JsonObject[string]> = { ...state };
  for (const name of fields) if (body[name] !== undefined) next[name] = body[name];
  for (const name of ['sku', 'pn']) if (body[name] !== undefined) next[name] = identifier(body[name]);
  for (const name of ['value', 'cost']) next[name] = rounded(Number(next[name]), 4);
  next['tax'] = rounded(Number(next['tax']), 6);
  if (body['qty'] !== undefined) next['qty'] = rounded(Number(body['qty']), decimals[String(next['unit'])] ?? 0);
  next['active'] = Boolean(next['active']);
  next['metadata'] = merged(state['metadata'] as JsonObject, (body['metadata'] ?? {}) as JsonObject);
  return next;
}

/** Whether an item would have too many custom fields. */
export const hasTooMuch = ({ metadata }: ItemState): boolean => Object.keys(metadata as JsonObject).length > mostKeys;

/** The fields of a response or a stored record that the model covers. */
export const stateOf = (data: JsonObject): ItemState =>
  Object.fromEntries(fields.map((name) => [name, data[name] ?? null]));

/** The names of the fields that differ between two states, as one text. Empty if they are equal. */
export const differences = (one: ItemState, other: ItemState): string =>
  fields.filter((name) => textOf(one[name]) !== textOf(other[name])).join(' and ');

/** A text that is equal for equal values, in any order of custom fields. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : (JSON.stringify(value) ?? '');
