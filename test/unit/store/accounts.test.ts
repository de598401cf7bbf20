import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../../lib/store/accounts.ts';

const own = { pk: 'ACCOUNT#acme', sk: 'ACCOUNT', default_category: 1, default_tax: 2.5, last_category: 4 };
const records = [
  own,
  { pk: 'ACCOUNT#acme', sk: 'CATEGORY#1', id: 1, name: 'General', archived: false },
  { pk: 'ACCOUNT#acme', sk: 'CATEGORY#4', id: 4, name: 'Old', archived: true },
  { pk: 'ACCOUNT#acme', sk: 'UNIT#un', code: 'un', decimals: 0 },
  { pk: 'ACCOUNT#acme', sk: 'UNIT#kg', code: 'kg', decimals: 3 },
];

describe('an account’s configuration', () => {
  it('is read from its records', () => {
    expect(readConfiguration('acme', records)).toEqual({
      id: 'acme',
      defaultCategory: 1,
      defaultTax: 2.5,
      categories: new Map([
        [1, { name: 'General', archived: false }],
        [4, { name: 'Old', archived: true }],
      ]),
      units: new Map([
        ['un', 0],
        ['kg', 3],
      ]),
    });
  });

  it('may have no default category, no categories and no units', () => {
    const { default_category: _, ...bare } = own;
    expect(readConfiguration('acme', [bare])).toEqual({
      id: 'acme',
      defaultCategory: null,
      defaultTax: 2.5,
      categories: new Map(),
      units: new Map(),
    });
  });

  it('is not there without the account’s own record', () => {
    expect(readConfiguration('acme', [])).toBeUndefined();
    expect(readConfiguration('acme', records.slice(1))).toBeUndefined();
  });

  it.each([
    { ...own, default_tax: '2.5' },
    { ...own, default_category: 1.5 },
  ])('is not guessed at when a record cannot be read: %j', (record) => {
    expect(() => readConfiguration('acme', [record])).toThrow();
  });
});
