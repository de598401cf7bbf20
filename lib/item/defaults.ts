import type { Account } from './account.ts';
import { defaultUnit } from './account.ts';
import type { ItemFields } from './item.ts';

/**
 * Default values for the fields that a create omits (spec table 2.1). The caller must still round `qty` by the unit.
 */
export const defaultsOf = (type: ItemFields['type'], account: Account): Omit<ItemFields, 'name'> => ({
  type,
  category: account.defaultCategory,
  value: 0,
  qty: 1,
  unit: defaultUnit[type],
  description: null,
  active: true,
  cost: 0,
  tax: account.defaultTax,
  sku: null,
  pn: null,
  tag: null,
  metadata: {},
});
