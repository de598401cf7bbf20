import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FieldChange, fieldChanges } from '../../../lib/item/fieldChanges.ts';
import type { ItemFields } from '../../../lib/item/fields.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { acceptedBody } from '../../support/items/arbitraries.ts';
import { defaultFields, sampleBody } from '../../support/items/sampleItem.ts';

/** Items as stored: without nulls among the keys of their metadata. */
const stored: fc.Arbitrary<ItemFields> = acceptedBody.map((body) => {
  const set = Object.entries((body['metadata'] ?? {}) as object).filter(([, value]) => value !== null);
  return { ...defaultFields, ...body, metadata: Object.fromEntries(set) } as ItemFields;
});

/** The fields with the values of one side of each change. */
function applied(fields: ItemFields, changes: readonly FieldChange[], side: 'from' | 'to'): ItemFields {
  const values = new Map<string, unknown>(Object.entries(fields));
  const metadata = new Map(Object.entries(fields.metadata));
  for (const { field, key, [side]: value = null } of changes)
    if (key === undefined) values.set(field, value);
    else if (value === null) metadata.delete(key);
    else metadata.set(key, value);
  return { ...Object.fromEntries(values), metadata: Object.fromEntries(metadata) } as unknown as ItemFields;
}

it('the changes between two states lead from each to the other, and name only what differs', () => {
  fc.assert(
    fc.property(stored, stored, (before, after) => {
      const changes = fieldChanges(before, after);
      expect(applied(before, changes, 'to')).toEqual(after);
      expect(applied(after, changes, 'from')).toEqual(before);
      for (const { from, to } of changes) expect(from).not.toEqual(to);
    }),
  );
});

it('a create and a removal have the value of every field, and of every key of metadata in order', () => {
  const created = fieldChanges(undefined, sampleBody);
  expect(created).toHaveLength(Object.keys(sampleBody).length + 1);
  expect(created).toContainEqual({ field: 'cost', from: null, to: 8.25 });
  expect(created.slice(-2)).toEqual([
    { field: 'metadata', key: 'colour', from: null, to: 'red' },
    { field: 'metadata', key: 'size', from: null, to: { w: 40 } },
  ]);
  const keysOf = (metadata: JsonObject) =>
    fieldChanges(undefined, { ...sampleBody, metadata }).flatMap(({ key = [] }) => key);
  expect(keysOf({ b: 1, c: 2, a: 3 })).toEqual(['a', 'b', 'c']);
  expect(fieldChanges(sampleBody, undefined)).toEqual(
    created.map(({ from, to, ...rest }) => ({ ...rest, from: to, to: from })),
  );
});

it('the order of object keys is no change, but the order and the length of lists is one', () => {
  const withMetadata = (size: object) => ({ ...sampleBody, metadata: { size } }) as ItemFields;
  expect(
    fieldChanges(withMetadata({ w: [1, { a: 1, b: 2 }], h: 2 }), withMetadata({ h: 2, w: [1, { b: 2, a: 1 }] })),
  ).toEqual([]);
  for (const other of [[2, 1], [1], [1, 2, 3], { 0: 1, 1: 2 }])
    expect(fieldChanges(withMetadata([1, 2]), withMetadata(other))).toHaveLength(1);
});
