import { expect, it } from 'vitest';
import {
  brokenLimit,
  customFieldsOf,
  inputText,
  readDraft,
  rebase,
  type Shown,
  savedAmount,
} from '../../client/form/itemDraft.ts';
import { bothOf } from '../../client/form/itemFormState.ts';
import type { Catalog, Item } from '../../client/http/catalogClient.ts';
import { readAmount } from '../../client/sheet/readAmount.ts';
import { type FieldKind, fields } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { sampleItem } from '../support/items/sampleItem.ts';

it.each([1.299, 12.5, 1299, 0.125, 99_999_999.9999])('an input shows %d as a text that means nothing else', (value) => {
  expect(readAmount(inputText(value))).toEqual({ value });
});

const shown = { ...sampleItem, metadata: { color: 'red', legs: 4, tall: true, size: [1, 2] } } as unknown as Shown;
const custom = customFieldsOf(shown.metadata);
const catalog = {
  limits: { ...limits, sku: limits.identifier },
  categories: [],
  units: [{ unit: 'kg', decimals: 3 }],
} as unknown as Catalog;

it('a draft changes what is typed otherwise than it was, and nothing else', () => {
  const { name, value, ...typed } = {
    name: 'Stool',
    value: '1,25',
    category: '',
    description: '',
    sku: 'S',
    active: 'false',
  };
  const rows = [...custom.slice(1), { key: 'colour', kind: 'text', text: 'red' } as const];
  const before = { ...shown, sku: 'S', description: null, category: 1, active: true };
  const draft = { typed: { ...typed, name, value, qty: inputText(shown.qty) }, custom: rows };
  expect(readDraft(draft, before)).toEqual({
    changes: { name, value: 1.25, category: null, active: false, metadata: { color: null, colour: 'red' } },
    problems: {},
  });
});

it('a draft reads each field as the service has it, and removes only what an item can be without', () => {
  const { metadata, ...inputs } = fields;
  const values: Partial<Record<FieldKind, unknown>> = { number: 1, integer: 1, boolean: false };
  for (const [name, { kind, ...field }] of Object.entries(inputs)) {
    const read = (text: string) => readDraft({ typed: { [name]: text }, custom: undefined }, { ...shown, [name]: 'x' });
    expect([name, read('1').changes]).toEqual([name, { [name]: kind in values ? values[kind] : '1' }]);
    expect([name, Object.values(read('').changes).includes(null)]).toEqual([name, 'nullable' in field]);
  }
});

it('a custom field that every object has, and an item has not, is null in a conflict', () => {
  const theirs = { ...sampleItem, metadata: {} } as unknown as Item;
  const [both] = bothOf(['metadata.constructor'], { metadata: { constructor: 'Builder' } } as Partial<Item>, theirs);
  expect(both).toEqual({ name: 'metadata.constructor', mine: 'Builder', theirs: null });
});

it('a draft tells what cannot be read, and which numbers a text can be', () => {
  const rows = [
    ...custom,
    { key: 'a/b', kind: 'JSON', text: '[' },
    { key: 'legs', kind: 'number', text: '5' },
  ] as const;
  expect(readDraft({ typed: { value: 'ten', cost: '1.299', qty: '' }, custom: rows }, shown).problems).toEqual({
    value: { rule: 'number' },
    qty: { rule: 'number' },
    cost: { rule: 'ambiguous', choices: [1299, 1.299] },
    'metadata/a~1b': { rule: 'json' },
    'metadata/legs': { rule: 'repeated' },
  });
});

it('a draft over a newer item keeps what others have saved, and what was typed since it was sent', () => {
  const now: Shown = { ...shown, value: 7, tag: 'theirs', metadata: { color: 'blue', legs: 4, theirs: 1 } };
  const typed = { name: 'Sent', tag: inputText(shown.tag), value: '7' };
  const rows = custom
    .map((one) => (one.key === 'legs' ? { ...one, text: '5' } : one))
    .filter(({ key }) => key !== 'tall');
  const draft = rebase({ typed: { ...typed, name: 'Typed since' }, custom: rows }, shown, now, {
    typed,
    custom: undefined,
  });
  expect(readDraft(draft, now).changes).toEqual({ name: 'Typed since', metadata: { legs: 5 } });
  expect(rebase({ typed, custom: rows }, shown, now, { typed, custom: rows })).toEqual({
    typed: {},
    custom: undefined,
  });
  // What cannot be read stays to be fixed.
  const unread = { typed: { value: 'abc' }, custom: undefined };
  expect(rebase(unread, shown, now)).toEqual(unread);
  const removed = rebase({ typed: {}, custom: customFieldsOf({}) }, shown, now);
  const keys = Object.keys(shown.metadata).filter((key) => key in now.metadata);
  expect(readDraft(removed, now).changes.metadata).toEqual(Object.fromEntries(keys.map((key) => [key, null])));
});

it('an amount is shown as it will be saved: a price with its decimals, a quantity with those of its unit', () => {
  const saved = (name: 'value' | 'qty', value: number) => savedAmount(name, value, 'kg', catalog);
  expect([saved('value', 1.00005), saved('qty', 2.0005)]).toEqual([1.0001, 2.001]);
  expect([-1, 1e9, 5].map((value) => brokenLimit('value', value, catalog)?.rule)).toEqual(['min', 'max', undefined]);
  expect(brokenLimit('sku', '😀'.repeat(45), catalog)).toBeUndefined();
  expect(brokenLimit('sku', '😀'.repeat(46), catalog)).toEqual({ rule: 'max_length', limit: 45 });
});
