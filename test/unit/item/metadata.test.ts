import { describe, expect, it } from 'vitest';
import { refusedMetadata } from '../../../lib/item/metadata.ts';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

/** Containers within one another, the outermost being an object. */
const nested = (levels: number, inner: unknown): unknown => {
  let value: unknown = inner;
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return { a: value };
};

/** Custom fields with the value at the top, in an object and in a list. */
const placed = (value: unknown) => [{ a: value }, { a: { b: value } }, { a: [value] }];

describe('custom fields', () => {
  it.each([[], ['a'], 'x', '', 1, 0, true, false].map((sent) => [sent]))('refuses %j, which is no object', (sent) => {
    expect(refusedMetadata(sent)).toBe('must be an object or null');
  });

  it('has at most 50 keys in a request', () => {
    expect(refusedMetadata(keys(0))).toBeUndefined();
    expect(refusedMetadata(keys(50))).toBeUndefined();
    expect(refusedMetadata(keys(51))).toBe('must have at most 50 keys in one request');
  });

  it('counts keys to remove, but not the keys of values', () => {
    const removals = Object.fromEntries(Object.keys(keys(51)).map((key) => [key, null]));
    expect(refusedMetadata(removals)).toBe('must have at most 50 keys in one request');
    expect(refusedMetadata({ a: keys(200) })).toBeUndefined();
  });

  const zeros = (count: number) => Array(count).fill(0);

  it('has at most 200 values under one key, at any level', () => {
    for (const most of [zeros(200), { b: zeros(199) }, [zeros(199)], [zeros(99), zeros(99)], keys(200)])
      expect(refusedMetadata({ a: most, b: 1 })).toBeUndefined();
    for (const more of [zeros(201), { b: zeros(200) }, [zeros(200)], [zeros(99), zeros(100)], keys(201)])
      expect(refusedMetadata({ a: 1, b: more })).toBe('must have at most 200 values under one key');
  });

  it('has at most 1,000 values in a request, at any level', () => {
    const four = { a: zeros(200), b: [zeros(199)], c: keys(200), d: zeros(200) };
    expect(refusedMetadata({ ...four, e: { f: zeros(194) } })).toBeUndefined();
    for (const more of [{ e: { f: zeros(195) } }, { e: zeros(195), f: null }])
      expect(refusedMetadata({ ...four, ...more })).toBe('must have at most 1000 values in one request');
  });

  it('has keys of 1 to 64 characters, at any level', () => {
    for (const key of ['k', 'k'.repeat(64), '😀'.repeat(64)])
      for (const sent of placed({ [key]: 1 })) expect(refusedMetadata(sent)).toBeUndefined();
    for (const key of ['', 'k'.repeat(65), '😀'.repeat(65)])
      for (const sent of [{ [key]: 1 }, ...placed({ [key]: 1 })])
        expect(refusedMetadata(sent)).toBe('must have keys of 1 to 64 characters');
  });

  it.each(['{"__proto__":1}', '{"__proto__":null}', '{"a":{"__proto__":{}}}', '{"a":[{"__proto__":1}]}'])(
    'refuses a key named __proto__ at any level: %s',
    (sent) => {
      expect(refusedMetadata(JSON.parse(sent))).toBe('must not have a key named __proto__');
    },
  );

  it.each([
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'a.b',
    '#n',
    ':v',
    'a[0]',
    'SET x=1',
    'size',
    ' ',
  ])('allows the key %j', (key) => {
    for (const sent of [{ [key]: 1 }, ...placed({ [key]: 1 })]) expect(refusedMetadata(sent)).toBeUndefined();
  });

  it('has strings of at most 2,000 characters, at any level', () => {
    for (const text of ['', 'x'.repeat(2_000), '😀'.repeat(2_000)])
      for (const sent of placed(text)) expect(refusedMetadata(sent)).toBeUndefined();
    for (const text of ['x'.repeat(2_001), '😀'.repeat(2_001)])
      for (const sent of placed(text))
        expect(refusedMetadata(sent)).toBe('must have strings of at most 2000 characters');
  });

  it('refuses lone surrogates in keys and values, at any level', () => {
    for (const sent of [{ '\ud800': 1 }, ...placed({ 'a\udc00': 1 }), ...placed('\ud800')])
      expect(refusedMetadata(sent)).toBe('must be well-formed Unicode');
  });

  it.each([0, -0, 1, -1, 0.1, 1e20, -1e20, 2 ** 53 + 2, 1e-130, -1e-130, 9.99e125, -9.99e125])(
    'keeps the number %d',
    (value) => {
      for (const sent of placed(value)) expect(refusedMetadata(sent)).toBeUndefined();
    },
  );

  it.each([9.9e-131, -9.9e-131, 5e-324, 1e126, -1e126, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    'refuses the number %d, which DynamoDB cannot hold',
    (value) => {
      for (const sent of placed(value))
        expect(refusedMetadata(sent)).toBe(
          'must have numbers that are 0 or of a magnitude between 1e-130 and 9.99e+125',
        );
    },
  );

  it.each([null, true, false, [], {}, [null], { a: null }].map((sent) => [sent]))('keeps the value %j', (value) => {
    for (const sent of placed(value)) expect(refusedMetadata(sent)).toBeUndefined();
  });

  it.each([1, [], {}].map((inner) => [inner]))('is nested at most 5 levels deep, with %j inside', (inner) => {
    const levels = typeof inner === 'object' ? 4 : 5;
    expect(refusedMetadata(nested(levels, inner))).toBeUndefined();
    expect(refusedMetadata(nested(levels + 1, inner))).toBe('must not be nested more than 5 levels deep');
  });

  it.each([5_000, 120_000])('refuses %i nested arrays without falling over them', (depth) => {
    const sent = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(refusedMetadata(sent)).toBe('must not be nested more than 5 levels deep');
  });
});
