import { type Account, initialUnits } from '../../../lib/item/account.ts';

/** An account with the initial units, two open categories, an archived one, and defaults that differ from those of spec table 2.1. */
export const sampleAccount: Account = {
  id: 'acme',
  defaultCategory: 1,
  defaultTax: 2.5,
  categories: new Map([
    [1, { name: 'General', archived: false }],
    [2, { name: 'Furniture', archived: false }],
    [4, { name: 'Old', archived: true }],
  ]),
  units: initialUnits,
};
