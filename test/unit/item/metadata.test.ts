import { describe, expect, it } from 'vitest';
import { metadataProblems } from '../../../lib/item/metadata.ts';
import { notoriousKeys } from '../../support/items/arbitraries.ts';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

/** The reason of the first part that is refused; undefined when none is. */
const firstReason = (sent: unknown) => metadataProblems(sent)[0]?.reason;

/** Containers within one another, the outermost being an object. */
const nested = (levels: number, inner: unknown): unknown => {
  let value: unknown = inner;
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return { a: value };
};

/** Custom fields with the value at the top, in an object and in a list. */
const placed = (value: unknown) => [{ a: value }, { a: { b: value } }, { a: [value] }];

describe('metadata', () => {
  it.each([[], ['a'], 'x', '', 1, 0, true, false].map((sent) => [sent]))('rejects %j, which is no object', (sent) => {
    expect(firstReason(sent)).toBe('must be an object or null');
  });

  it('has at most 100 keys in a request', () => {
    expect(firstReason(keys(0))).toBeUndefined();
    expect(firstReason(keys(100))).toBeUndefined();
    expect(firstReason(keys(101))).toBe('must have at most 100 keys in one request');
  });

  it('counts keys to remove, but not keys inside values', () => {
    const removals = Object.fromEntries(Object.keys(keys(101)).map((key) => [key, null]));
    expect(firstReason(removals)).toBe('must have at most 100 keys in one request');
    expect(firstReason({ a: keys(200) })).toBeUndefined();
  });

  const zeros = (count: number) => Array(count).fill(0);

  it('has at most 200 values under one key, at any level', () => {
    for (const most of [zeros(200), { b: zeros(199) }, [zeros(199)], [zeros(99), zeros(99)], keys(200)])
      expect(firstReason({ a: most, b: 1 })).toBeUndefined();
    for (const more of [zeros(201), { b: zeros(200) }, [zeros(200)], [zeros(99), zeros(100)], keys(201)])
      expect(firstReason({ a: 1, b: more })).toBe('must have at most 200 values under one key');
  });

  it('has at most 1,000 values in a request, at any level', () => {
    const four = { a: zeros(200), b: [zeros(199)], c: keys(200), d: zeros(200) };
    expect(firstReason({ ...four, e: { f: zeros(194) } })).toBeUndefined();
    for (const more of [{ e: { f: zeros(195) } }, { e: zeros(195), f: null }])
      expect(firstReason({ ...four, ...more })).toBe('must have at most 1000 values in one request');
  });

  it('has keys of 1 to 64 characters, at any level', () => {
    for (const key of ['k', 'k'.repeat(64), '😀'.repeat(64)])
      for (const sent of placed({ [key]: 1 })) expect(firstReason(sent)).toBeUndefined();
    for (const key of ['', 'k'.repeat(65), '😀'.repeat(65)])
      for (const sent of [{ [key]: 1 }, ...placed({ [key]: 1 })])
        expect(firstReason(sent)).toBe('must have keys of 1 to 64 characters');
  });

  const withPrototype = ['{"__proto__":1}', '{"__proto__":null}', '{"a":{"__proto__":{}}}', '{"a":[{"__proto__":1}]}'];
  it.each(withPrototype)('rejects a key named __proto__ at any level: %s', (sent) => {
    expect(firstReason(JSON.parse(sent))).toBe('must not have a key named __proto__');
  });

  it.each([...notoriousKeys, 'prototype', ' '])('allows the key %j', (key) => {
    for (const sent of [{ [key]: 1 }, ...placed({ [key]: 1 })]) expect(firstReason(sent)).toBeUndefined();
  });

  it('has strings of at most 2,000 characters, at any level', () => {
    for (const text of ['', 'x'.repeat(2_000), '😀'.repeat(2_000)])
      for (const sent of placed(text)) expect(firstReason(sent)).toBeUndefined();
    for (const text of ['x'.repeat(2_001), '😀'.repeat(2_001)])
      for (const sent of placed(text)) expect(firstReason(sent)).toBe('must have strings of at most 2000 characters');
  });

  it('rejects lone surrogates in keys and values, at any level', () => {
    for (const sent of [{ '\ud800': 1 }, ...placed({ 'a\udc00': 1 }), ...placed('\ud800')])
      expect(firstReason(sent)).toBe('must be well-formed Unicode');
  });

  const storable = [0, -0, 1, -1, 0.1, 1e20, -1e20, 2 ** 53 + 2, 1e-130, -1e-130, 9.99e125, -9.99e125];
  it.each(storable)('accepts the number %d', (value) => {
    for (const sent of placed(value)) expect(firstReason(sent)).toBeUndefined();
  });

  it.each([9.9e-131, -9.9e-131, 5e-324, 1e126, -1e126, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'rejects the number %d, which DynamoDB cannot store',
    (value) => {
      for (const sent of placed(value))
        expect(firstReason(sent)).toBe('must have numbers that are 0 or of a magnitude between 1e-130 and 9.99e+125');
    },
  );

  it.each([null, true, false, [], {}, [null], { a: null }].map((sent) => [sent]))('accepts the value %j', (value) => {
    for (const sent of placed(value)) expect(firstReason(sent)).toBeUndefined();
  });

  it.each([1, [], {}].map((inner) => [inner]))('is nested at most 5 levels deep, with %j inside', (inner) => {
    const levels = typeof inner === 'object' ? 4 : 5;
    expect(firstReason(nested(levels, inner))).toBeUndefined();
    expect(firstReason(nested(levels + 1, inner))).toBe('must not be nested more than 5 levels deep');
  });

  it.each([5_000, 120_000])('rejects %i nested arrays without a stack overflow', (depth) => {
    const sent = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(firstReason(sent)).toBe('must not be nested more than 5 levels deep');
  });
});

describe('rejected metadata is reported with its path:', () => {
  const places = (sent: unknown) => metadataProblems(sent).map(({ path }) => path.join('/'));

  it.each([
    ['a value', { a: 1, b: '\ud800' }, ['b']],
    ['a value within others', { size: { people: [1, 1e300] } }, ['size/people/1']],
    ['several values', { a: [1e300, 1, { b: 5e-324 }], c: 'x'.repeat(2_001) }, ['a/0', 'a/2/b', 'c']],
    ['a key', { '': 1, a: { ['k'.repeat(65)]: 1e300 } }, ['', `a/${'k'.repeat(65)}`]],
    ['what is nested too deep', { a: [[[[[1e300]]]]], b: { c: { d: { e: 1 } } } }, ['a/0/0/0/0']],
    ['keys with too many values', { a: Array(201).fill(1e300), b: 1, c: { d: Array(200).fill(0) } }, ['a', 'c']],
    ['no object', [], ['']],
  ])('%s', (_case, sent, expected) => {
    expect(places(sent)).toEqual(expected);
  });

  it('at most five problems, however many there are', () => {
    expect(places({ a: Array(150).fill(1e300) })).toEqual(['a/0', 'a/1', 'a/2', 'a/3', 'a/4']);
    const long = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, Array(201).fill(0)]));
    expect(places(long)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
  });

  it('no path if there are too many values in total', () => {
    for (const sent of [keys(101), Object.fromEntries(Object.keys(keys(100)).map((key) => [key, Array(20).fill(0)]))])
      expect(metadataProblems(sent).map(({ path }) => path)).toEqual([[]]);
  });

  it.each([
    ['values', 0],
    ['lists', []],
    ['objects within one another', { b: { c: [[1e300]] } }],
    ['refused values', '\ud800'],
  ])('in bounded time, however many %s there are', (_case, value) => {
    let reads = 0;
    const list = new Proxy(Array(60_000).fill(value), {
      get: (target, key, receiver) => {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(places({ a: list })).toEqual(['a']);
    expect(reads).toBeLessThan(1_000);
  });
});
