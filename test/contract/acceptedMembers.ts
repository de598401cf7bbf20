import type { JsonObject } from '../../lib/item/json.ts';
import type { ShownItem } from '../support/apiResponses.ts';

/** Members of a body that are accepted, as JSON text, and what of the item they decide. */
export type AcceptedMembers = readonly [members: string, shown: Partial<ShownItem>];

const amounts = (['value', 'cost'] as const).flatMap((field): AcceptedMembers[] => [
  [`"${field}":0`, { [field]: 0 }],
  [`"${field}":-0`, { [field]: 0 }],
  [`"${field}":99999999.9999`, { [field]: 99_999_999.9999 }],
  [`"${field}":99999999.99990000`, { [field]: 99_999_999.9999 }],
  [`"${field}":1e2`, { [field]: 100 }],
  [`"${field}":0.30000000000000004`, { [field]: 0.3 }],
  [`"${field}":1e-7`, { [field]: 0 }],
  [`"${field}":0.00005`, { [field]: 0.0001 }],
]);

/** Every key here is one that means something to JavaScript or to DynamoDB's expressions. */
const notorious = {
  constructor: 1,
  toString: 'a',
  hasOwnProperty: true,
  'a.b': [1, null],
  '#n': { ':v': null },
  ':v': -0.5,
  'a[0]': '',
  'SET x=1': {},
  size: 0,
};

const levels = { 2: { 3: { 4: { 5: 'five levels' } } } };
const atBounds = {
  [`${'k'.repeat(64)}`]: '🪑'.repeat(2_000),
  ['🪑'.repeat(64)]: 1e125,
  small: 1e-130,
  exact: 0.1,
};
const manyValues = { a: Array(9_999).fill(0) };
const fiftyKeys = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, index]));
const metadata = (value: JsonObject): AcceptedMembers => [`"metadata":${JSON.stringify(value)}`, { metadata: value }];

/**
 * What creates and updates both accept. Codes are not here, as one of them can be on one item only. An update's item has
 * other values before it, and no custom fields.
 */
export const acceptedMembers: readonly AcceptedMembers[] = [
  [`"name":"${'🪑'.repeat(150)}"`, { name: '🪑'.repeat(150) }],
  ['"name":" x "', { name: ' x ' }],
  ['"name":"\\u0041\\ud83e\\ude91"', { name: 'A🪑' }],
  ['"name":"first","name":"last"', { name: 'last' }],
  ['"value":3,"__proto__":{"name":"Table","value":5}', { value: 3 }],
  ['"type":"product","unit":"kg"', { type: 'product', unit: 'kg' }],
  ['"type":"service","unit":"un"', { type: 'service', unit: 'un' }],
  ['"active":0', { active: false }],
  ['"active":1', { active: true }],
  ['"active":true', { active: true }],
  ['"active":false', { active: false }],
  ...amounts,
  ['"tax":0', { tax: 0 }],
  ['"tax":-0', { tax: 0 }],
  ['"tax":999999.999999', { tax: 999_999.999999 }],
  ['"tax":1e2', { tax: 100 }],
  ['"tax":0.30000000000000004', { tax: 0.3 }],
  ['"tax":1e-7', { tax: 0 }],
  ['"qty":0,"unit":"kg"', { qty: 0, unit: 'kg' }],
  ['"qty":-0,"unit":"kg"', { qty: 0, unit: 'kg' }],
  ['"qty":1e2,"unit":"kg"', { qty: 100, unit: 'kg' }],
  ['"qty":0.30000000000000004,"unit":"kg"', { qty: 0.3, unit: 'kg' }],
  ['"qty":1e-7,"unit":"kg"', { qty: 0, unit: 'kg' }],
  ['"qty":1.005,"unit":"hour"', { qty: 1.01, unit: 'hour' }],
  ['"qty":99999999.9999,"unit":"un"', { qty: 99_999_999, unit: 'un' }],
  ['"qty":99999999.9999,"unit":"kg"', { qty: 99_999_999.999, unit: 'kg' }],
  ['"category":3', { category: 3, category_name: 'Services' }],
  ['"category":null', { category: null, category_name: null }],
  ['"sku":null,"pn":null', { sku: null, pn: null }],
  ['"sku":"","pn":" \\t "', { sku: null, pn: null }],
  ['"description":"<script>alert(1)</script>"', { description: '<script>alert(1)</script>' }],
  ['"tag":"<script>","description":""', { tag: '<script>', description: '' }],
  ['"tag":"","description":null', { tag: '', description: null }],
  [`"description":"${'🪑'.repeat(20_000)}"`, { description: '🪑'.repeat(20_000) }],
  [`"tag":"${'🪑'.repeat(500)}"`, { tag: '🪑'.repeat(500) }],
  ['"description":"a\\n\\u0000b","tag":" a;b, c "', { description: 'a\n\0b', tag: ' a;b, c ' }],
  ['"metadata":null', {}],
  ['"metadata":{}', {}],
  ['"metadata":{"absent":null}', {}],
  ['"metadata":{"a":1,"a":2}', { metadata: { a: 2 } }],
  metadata(notorious),
  metadata(levels),
  metadata(manyValues),
  metadata(atBounds),
  metadata(fiftyKeys),
];
