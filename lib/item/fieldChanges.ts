import { type FieldName, fieldNames, type ItemFields } from './fields.ts';
import { canonicalJson, type Json } from './json.ts';

/** The change of a field, or of a key of `metadata`, by a write. */
export interface FieldChange {
  readonly field: FieldName;
  readonly key?: string;
  /** Null if there was no value. Both values are omitted if they are too large to be kept, or shown. */
  readonly from?: Json;
  /** Null if there is no value any more. */
  readonly to?: Json;
}

/** The differences of two states, in the order of spec table 2.1, `metadata` by key. Undefined stands for no item. */
export function fieldChanges(before: ItemFields | undefined, after: ItemFields | undefined): FieldChange[] {
  const metadata = [before, after].map((fields) => new Map(Object.entries(fields?.metadata ?? {})));
  const keys = new Set(metadata.flatMap((values) => [...values.keys()]).sort());
  const all = fieldNames.flatMap((field): FieldChange[] =>
    field === 'metadata'
      ? [...keys].map((key) => ({ field, key, ...sides(metadata.map((values) => values.get(key))) }))
      : [{ field, ...sides([before?.[field], after?.[field]]) }],
  );
  return all.filter(({ from = null, to = null }) => canonicalJson(from) !== canonicalJson(to));
}

const sides = ([from = null, to = null]: readonly (Json | undefined)[]) => ({ from, to });
