import { isDeepStrictEqual } from 'node:util';
import { fieldNames, type ItemFields } from '../item/fields.ts';
import type { Json } from '../item/json.ts';
import type { FieldChange } from './recordedChange.ts';

/**
 * What differs between two states of an item, in the order of spec table 2.1, and `metadata` by key.
 * @param before undefined if the item did not exist
 * @param after undefined if it no longer exists
 */
export function fieldChanges(before: ItemFields | undefined, after: ItemFields | undefined): FieldChange[] {
  const metadata = [before, after].map((fields) => new Map(Object.entries(fields?.metadata ?? {})));
  const keys = new Set(metadata.flatMap((values) => [...values.keys()]).sort());
  const all = fieldNames.flatMap((field): FieldChange[] =>
    field === 'metadata'
      ? [...keys].map((key) => ({ field, key, ...sides(metadata.map((values) => values.get(key))) }))
      : [{ field, ...sides([before?.[field], after?.[field]]) }],
  );
  return all.filter(({ from, to }) => !isDeepStrictEqual(from, to));
}

const sides = ([from = null, to = null]: readonly (Json | undefined)[]) => ({ from, to });
