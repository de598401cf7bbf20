import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldNames } from '../../../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../../../lib/item/json.ts';
import { parseBody } from '../../../../lib/item/readBody.ts';
import { fingerprint } from '../../../../lib/store/records/idempotencyKey.ts';
import { acceptedBody } from '../../../support/arbitraries.ts';

/** The same JSON with the keys of every object in another order. */
function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** The fingerprint of a body as a create validates it. */
function fingerprintOf(body: JsonObject): string {
  const { sent, invalid } = parseBody(body);
  expect(invalid).toEqual([]);
  return fingerprint(sent);
}

describe('the fingerprint of a create’s body', () => {
  it('is a SHA-256, and never changes, because keys outlive releases', () => {
    const body = { name: 'Chair', metadata: { b: [1, { d: null, c: 'é' }], a: false }, value: 0.5 };
    expect(fingerprintOf(body)).toBe('35bc265aa8a7d278864cb5e9d1b322353af9766baacc72a015f7bcf2af5c1b3a');
  });

  it('is the same for any order of keys, and ignores what a create does not read', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        expect(fingerprintOf(reversed(body) as JsonObject)).toBe(fingerprintOf(body));
        expect(fingerprintOf({ ...body, id: 1, colour: [[[]]], create_date: 'x' })).toBe(fingerprintOf(body));
        expect(fingerprintOf(JSON.parse(JSON.stringify(body, null, 2)))).toBe(fingerprintOf(body));
      }),
    );
  });

  it('differs for fields with different validated values', () => {
    const validated = (body: JsonObject): JsonObject => JSON.parse(JSON.stringify(parseBody(body).sent));
    fc.assert(
      fc.property(acceptedBody, acceptedBody, fc.constantFrom(...fieldNames), (one, other, field) => {
        const { [field]: _, ...fewer } = one;
        for (const body of [other, fewer])
          expect(fingerprintOf(body) === fingerprintOf(one)).toBe(isDeepStrictEqual(validated(body), validated(one)));
      }),
    );
  });

  it.each<[JsonObject, JsonObject]>([
    [{ active: true }, { active: 1 }],
    [{ active: false }, { active: 0 }],
    [{ sku: 'A' }, { sku: ' A\t' }],
    [{ sku: 'é' }, { sku: 'e\u0301' }],
    [{ pn: null }, { pn: '' }],
    [{ value: 1 }, { value: 1.00001 }],
    [{ tax: 0 }, { tax: -0 }],
  ])('is the same for %j and %j, which are stored the same', (one, other) => {
    expect(fingerprintOf(one)).toBe(fingerprintOf(other));
  });

  it.each<[JsonObject, JsonObject]>([
    [{ name: '1' }, { name: '2' }],
    [{ name: 'A' }, { name: ' A' }],
    [{ tag: null }, {}],
    [{ tag: '' }, { tag: null }],
    [{ active: true }, {}],
    [{ value: 0 }, {}],
    [{ qty: 1 }, { qty: 1.4 }],
    [{ metadata: null }, {}],
    [{ metadata: { a: null } }, { metadata: {} }],
    [{ metadata: { a: [1, 2] } }, { metadata: { a: [2, 1] } }],
    [{ metadata: { a: { b: 1 } } }, { metadata: { 'a":{"b': 1 } }],
    [{ metadata: { a: '1,"b":2' } }, { metadata: { a: 1, b: 2 } }],
  ])('distinguishes %j from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });
});
