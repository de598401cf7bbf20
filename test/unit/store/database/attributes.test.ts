import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../lib/item/json.ts';
import { fromAttribute, fromAttributes, toAttribute, toAttributes } from '../../../../lib/store/database/attributes.ts';
import { acceptedMetadata, json } from '../../../support/arbitraries.ts';

/** As the bytes of a message carry them: nothing that is not in them survives. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe('JSON in attributes', () => {
  it.each<[Json, AttributeValue]>([
    [null, { NULL: true }],
    ['', { S: '' }],
    ['12', { S: '12' }],
    [true, { BOOL: true }],
    [false, { BOOL: false }],
    [0, { N: '0' }],
    [-0, { N: '0' }],
    [0.1, { N: '0.1' }],
    [1e20, { N: '100000000000000000000' }],
    [1e21, { N: '1e+21' }],
    [2 ** 53 + 2, { N: '9007199254740994' }],
    [9.99e125, { N: '9.99e+125' }],
    [1e-130, { N: '1e-130' }],
    [[], { L: [] }],
    [{}, { M: {} }],
    [[1, null, ['a']], { L: [{ N: '1' }, { NULL: true }, { L: [{ S: 'a' }] }] }],
    [{ constructor: 1, toString: { a: 2 } }, { M: { constructor: { N: '1' }, toString: { M: { a: { N: '2' } } } } }],
  ])('%j is %j', (value, attribute) => {
    expect(toAttribute(value)).toEqual(attribute);
    expect(fromAttribute(attribute)).toEqual(Object.is(value, -0) ? 0 : value);
  });

  it('comes back as it was, whatever it is', () => {
    fc.assert(
      fc.property(json, (value) => {
        // As JSON alone: -0 is 0 there, and __proto__ a key like any other.
        const plain = sent(value);
        expect(sent(fromAttribute(sent(toAttribute(plain))))).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps custom fields with their keys and numbers to the last digit', () => {
    fc.assert(
      fc.property(acceptedMetadata, (metadata) => {
        expect(JSON.stringify(fromAttributes(toAttributes(metadata)))).toBe(JSON.stringify(metadata));
      }),
    );
  });

  it('does not let a key named __proto__ reach a prototype, in either direction', () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":[1]}}');
    const attributes = toAttributes(hostile);
    expect(Object.keys(attributes)).toEqual(['__proto__', 'a']);
    const back = fromAttributes(attributes);
    expect(JSON.stringify(back)).toBe(JSON.stringify(hostile));
    expect([Object.getPrototypeOf(back), back['polluted']]).toEqual([Object.prototype, undefined]);
  });
});

describe('an attribute of another kind', () => {
  it.each<[AttributeValue, string]>([
    [{ SS: ['a'] }, 'SS'],
    [{ NS: ['1'] }, 'NS'],
    [{ B: new Uint8Array(1) }, 'B'],
    [{ $unknown: ['X', 1] }, '$unknown'],
  ])('is refused, not guessed: %j', (attribute, name) => {
    expect(() => fromAttribute(attribute)).toThrow(`Attribute of an unexpected type: ${name}`);
    expect(() => fromAttributes({ a: { L: [attribute] } })).toThrow(name);
  });
});
