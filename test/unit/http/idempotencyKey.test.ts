import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idempotencyKey } from '../../../lib/http/idempotencyKey.ts';
import type { Json, JsonObject } from '../../../lib/item/json.ts';
import { fieldNames } from '../../../lib/item/limits.ts';
import { acceptedBody } from '../../support/arbitraries.ts';
import { refusalOf } from '../../support/refusalOf.ts';

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const fingerprintOf = (body: JsonObject) => idempotencyKey(['k'], body)?.fingerprint();

describe('the Idempotency-Key', () => {
  it('may be left out', () => {
    expect(idempotencyKey([], {})).toBeUndefined();
  });

  it.each([
    ['a', 'a'],
    ['"a"', 'a'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~,;=:', '!~,;=:'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s is the key %s, quoted or bare', (value, key) => {
    expect(idempotencyKey([value], {})?.key).toBe(key);
  });

  it.each([
    [['']],
    [['""']],
    [[' ']],
    [['a b']],
    [['a\t']],
    [['a\u0000']],
    [['a\u007f']],
    [['é']],
    [['"a b"']],
    [['x'.repeat(256)]],
    [[`"${'x'.repeat(256)}"`]],
    [['a', 'a']],
    [['a', '']],
  ])('%j is refused', (values) => {
    expect(refusalOf(() => idempotencyKey(values, {}))).toEqual({
      code: 'INVALID_REQUEST',
      message: 'Invalid header: Idempotency-Key.',
      fields: undefined,
    });
  });

  it('is taken as it is sent, when it is visible ASCII without quotes', () => {
    fc.assert(
      fc.property(visible, (value) => {
        fc.pre(value !== '' && !value.includes('"'));
        expect(idempotencyKey([value], {})?.key).toBe(value);
        expect(idempotencyKey([`"${value}"`], {})?.key).toBe(value);
      }),
    );
  });
});

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

describe('the fingerprint of a body', () => {
  it('is a SHA-256, and the same for ever, as keys outlive releases', () => {
    const body = { name: 'Chair', metadata: { b: [1, { d: null, c: 'é' }], a: false }, value: 0.5 };
    expect(fingerprintOf(body)).toBe('35bc265aa8a7d278864cb5e9d1b322353af9766baacc72a015f7bcf2af5c1b3a');
  });

  it('is the same in any order of keys, and whatever a create does not read', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        expect(fingerprintOf(reversed(body) as JsonObject)).toBe(fingerprintOf(body));
        expect(fingerprintOf({ ...body, id: 1, colour: [[[]]], create_date: 'x' })).toBe(fingerprintOf(body));
        expect(fingerprintOf(JSON.parse(JSON.stringify(body, null, 2)))).toBe(fingerprintOf(body));
      }),
    );
  });

  it('is another for any other body', () => {
    const sent = (body: JsonObject): JsonObject => JSON.parse(JSON.stringify(body));
    fc.assert(
      fc.property(acceptedBody, acceptedBody, fc.constantFrom(...fieldNames), (one, other, field) => {
        const { [field]: _, ...fewer } = one;
        for (const body of [other, fewer])
          expect(fingerprintOf(body) === fingerprintOf(one)).toBe(isDeepStrictEqual(sent(body), sent(one)));
      }),
    );
  });

  it.each<[JsonObject, JsonObject]>([
    [{ name: '1' }, { name: 1 }],
    [{ tag: null }, {}],
    [{ tag: '' }, { tag: null }],
    [{ active: true }, { active: 1 }],
    [{ metadata: { a: [1, 2] } }, { metadata: { a: [2, 1] } }],
    [{ metadata: { a: { b: 1 } } }, { metadata: { 'a":{"b': 1 } }],
    [{ metadata: { a: '1,"b":2' } }, { metadata: { a: 1, b: 2 } }],
    [{ metadata: {} }, { metadata: [] }],
  ])('tells %j from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });
});
