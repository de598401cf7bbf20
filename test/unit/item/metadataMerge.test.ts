import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/item/json.ts';
import { mergeMetadata, metadataChange } from '../../../lib/item/metadata.ts';
import { acceptedMetadata } from '../../support/items/arbitraries.ts';

const merge = (current: JsonObject, sent: JsonObject | null) => mergeMetadata(current, metadataChange(sent));
/** Stored custom fields: no key of them is null (spec 2.2 rule 2). */
const stored = acceptedMetadata.map((sent) => merge({}, sent));
const law = (holds: (current: JsonObject, sent: JsonObject) => void) =>
  fc.assert(fc.property(stored, acceptedMetadata, holds));

describe('a metadata change', () => {
  it.each([
    [null, { set: {}, remove: [] }],
    [{}, { set: {}, remove: [] }],
    [
      { a: 1, b: null, c: false },
      { set: { a: 1, c: false }, remove: ['b'] },
    ],
    [
      { a: '', b: 0, c: [null], d: { e: null } },
      { set: { a: '', b: 0, c: [null], d: { e: null } }, remove: [] },
    ],
  ])('for %j sets keys with a value and removes keys with null (spec 2.2)', (sent, change) => {
    expect(metadataChange(sent)).toEqual(change);
  });
});

describe('merging metadata', () => {
  it('replaces stored keys by sent ones, and keeps the rest', () => {
    law((current, sent) => {
      const merged = merge(current, sent);
      for (const [key, value] of Object.entries(sent))
        if (value === null) expect(Object.hasOwn(merged, key)).toBe(false);
        else expect(merged[key]).toBe(value);
      for (const [key, value] of Object.entries(current))
        if (!Object.hasOwn(sent, key)) expect(merged[key]).toBe(value);
      const known = new Set([...Object.keys(current), ...Object.keys(sent)]);
      expect(Object.keys(merged).filter((key) => !known.has(key))).toEqual([]);
    });
  });
});
