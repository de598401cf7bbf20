import type { JsonObject } from '../../lib/item/json.ts';

/**
 * What a request does to an item, written plainly and apart from the service's own rules, for the few fields and values
 * that histories use.
 */
export interface State {
  readonly name: unknown;
  readonly value: unknown;
  readonly qty: number;
  readonly unit: string;
  readonly active: unknown;
  readonly category: unknown;
  readonly sku: string | null;
  readonly pn: string | null;
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
  return updated(
    { name: '', value: 0, qty: 1, unit: 'un', active: true, category: 1, sku: null, pn: null, metadata: {} },
    body,
  );
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

/** Of an answer or a stored record, what the model speaks of. */
export const stateOf = (data: JsonObject): State => ({
  name: data['name'],
  value: data['value'],
  qty: data['qty'] as number,
  unit: data['unit'] as string,
  active: data['active'],
  category: data['category'] ?? null,
  sku: (data['sku'] as string | undefined) ?? null,
  pn: (data['pn'] as string | undefined) ?? null,
  metadata: data['metadata'] as JsonObject,
});

/** Equal states have equal texts. */
export const textOf = (state: State): string => {
  const sorted = (object: object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted({ ...state, metadata: sorted(state.metadata) }));
};
