import type { ItemFields } from '../../../lib/item/fields.ts';
import type { Item } from '../../../lib/item/item.ts';

/** A body of a create in which no field has its default; also accepted by the first demo account. */
export const sampleBody = {
  name: 'Chair',
  type: 'service',
  category: 2,
  value: 12.5,
  qty: 3,
  unit: 'kg',
  description: 'With arms',
  active: false,
  cost: 8.25,
  tax: 1.5,
  sku: 'CH-1',
  pn: 'PN-1',
  tag: 'seat;wood',
  metadata: { colour: 'red', size: { w: 40 } },
} as const satisfies ItemFields;

/** The item that {@link sampleBody} creates, after two updates. */
export const sampleItem: Item = {
  ...sampleBody,
  id: 7,
  revision: 3,
  createdAt: Date.UTC(2026, 10, 20, 23, 10, 0, 789),
  updatedAt: Date.UTC(2026, 10, 21, 8, 30, 0, 123),
  updatedBy: 'ann',
};

/** {@link sampleItem} in a response to a caller who may see its cost. */
export const shownSampleItem = {
  ...sampleBody,
  id: 7,
  category_name: 'Furniture',
  create_date: '2026-11-20T23:10:00+00:00',
  revision: 3,
  updated_at: '2026-11-21T08:30:00+00:00',
  updated_by: 'ann',
} as const;

/** What `{"name":"Chair"}` creates in an account whose default category is 1 (spec table 2.1). */
export const defaultFields: ItemFields = {
  name: 'Chair',
  type: 'product',
  category: 1,
  value: 0,
  qty: 1,
  unit: 'un',
  description: null,
  active: true,
  cost: 0,
  tax: 0,
  sku: null,
  pn: null,
  tag: null,
  metadata: {},
};
