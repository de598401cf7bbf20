import type { JsonObject } from '../../lib/item/json.ts';

/**
 * What a request does to an item, written plainly and apart from the service's own rules, for the few fields and values
 * that histories use.
 */
export interface State {
  readonly name: unknown;
  readonly type: unknown;
  readonly category: unknown;
  readonly value: unknown;
  readonly qty: number;
  readonly unit: string;
  readonly description: unknown;
  readonly active: unknown;
  readonly sku: string | null;
  readonly pn: string | null;
  readonly tag: unknown;
  readonly metadata: JsonObject;
}

/** A power of ten for each unit that histories use. */
const scales: Readonly<Record<string, number>> = { un: 1, hour: 100, kg: 1000 };

const round = (qty: number, unit: string): number => {
  const scale = scales[unit] ?? Number.NaN;
  return Math.round(qty * scale) / scale;
};

const merge = (current: JsonObject, sent: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries({ ...current, ...sent }).filter(([key, value]) => !(key in sent) || value !== null),
  );

export function created(body: JsonObject): State {
  const { type = 'product' } = body;
  const unit = type === 'service' ? 'hour' : 'un';
  const texts = { name: '', description: null, sku: null, pn: null, tag: null };
  return updated({ ...texts, type, category: 1, value: 0, qty: 1, unit, active: true, metadata: {} }, body);
}

export function updated(state: State, body: JsonObject): State {
  const { qty, metadata, ...rest } = body as JsonObject & { qty?: number; unit?: string; metadata?: JsonObject };
  const unit = rest.unit ?? state.unit;
  return {
    ...state,
    ...rest,
    qty: qty === undefined ? state.qty : round(qty, unit),
    metadata: merge(state.metadata, metadata ?? {}),
  };
}

/** Whether an item would have more custom fields than any may have. */
export const hasTooMuch = ({ metadata }: State): boolean => Object.keys(metadata).length > 100;

/** Of an answer or a stored record, what the model speaks of. */
export const stateOf = (data: JsonObject): State => ({
  name: data['name'],
  type: data['type'],
  category: data['category'] ?? null,
  value: data['value'],
  qty: data['qty'] as number,
  unit: data['unit'] as string,
  description: data['description'] ?? null,
  active: data['active'],
  sku: (data['sku'] as string | undefined) ?? null,
  pn: (data['pn'] as string | undefined) ?? null,
  tag: data['tag'] ?? null,
  metadata: data['metadata'] as JsonObject,
});

/** The names of what two states differ in, in one text; empty when they are equal. */
export function differences(one: State, other: State): string {
  const names = Object.keys(one) as (keyof State)[];
  return names.filter((name) => textOf(one[name]) !== textOf(other[name])).join(' and ');
}

/** Equal values have equal texts: the order of custom fields does not count. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : (JSON.stringify(value) ?? '');
