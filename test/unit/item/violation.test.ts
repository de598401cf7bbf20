import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/item/json.ts';
import { parseBody } from '../../../lib/item/readBody.ts';
import type { BrokenRule } from '../../../lib/item/violation.ts';

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 0]));
const lists = (count: number, length: number) =>
  Object.fromEntries(Object.keys(keys(count)).map((key) => [key, Array(length).fill(0)]));

describe('an invalid field names the rule that it breaks, and its limit', () => {
  it.each<[JsonObject, BrokenRule['rule'], limit?: number]>([
    [{ name: null }, 'type'],
    [{ name: '' }, 'required'],
    [{ name: '\u200b ' }, 'required'],
    [{ name: 'a\nb' }, 'pattern'],
    [{ name: 'a\ud800' }, 'pattern'],
    [{ name: 'x'.repeat(151) }, 'max_length', 150],
    [{ name: ' '.repeat(151) }, 'max_length', 150],
    [{ type: 'Product' }, 'choice'],
    [{ category: '1' }, 'type'],
    [{ category: 1.5 }, 'type'],
    [{ category: -1 }, 'unknown_reference'],
    [{ value: '1' }, 'type'],
    [{ value: -1 }, 'min', 0],
    [{ qty: 1e8 }, 'max', 99_999_999.9999],
    [{ tax: 1e6 }, 'max', 999_999.999999],
    [{ unit: 'x'.repeat(9) }, 'max_length', 8],
    [{ description: 'x'.repeat(20_001) }, 'max_length', 20_000],
    [{ active: 2 }, 'choice'],
    [{ sku: 1 }, 'type'],
    [{ sku: 'x'.repeat(46) }, 'max_length', 45],
    [{ sku: 'x'.repeat(181) }, 'max_length', 45],
    [{ pn: 'a\u200bb' }, 'pattern'],
    [{ pn: 'a\ud800' }, 'pattern'],
    [{ tag: 'x'.repeat(501) }, 'max_length', 500],
    [{ metadata: [] }, 'type'],
    [{ metadata: keys(51) }, 'max_items', 50],
    [{ metadata: lists(1, 201) }, 'max_items', 200],
    [{ metadata: lists(10, 100) }, 'max_items', 1_000],
    [{ metadata: { '': 1 } }, 'required'],
    [{ metadata: { ['k'.repeat(65)]: 1 } }, 'max_length', 64],
    [{ metadata: JSON.parse('{"__proto__":1}') }, 'pattern'],
    [{ metadata: { a: '\ud800' } }, 'pattern'],
    [{ metadata: { a: 'x'.repeat(2_001) } }, 'max_length', 2_000],
    [{ metadata: { a: -1e300 } }, 'max', 9.99e125],
    [{ metadata: { a: 5e-324 } }, 'min', 1e-130],
    [{ metadata: { a: [[[[[]]]]] } }, 'max_depth', 5],
  ])('%j', (body, rule, limit) => {
    const { invalid } = parseBody(body);
    expect(invalid.map((field) => [field.rule, field.limit])).toEqual([[rule, limit]]);
  });
});
