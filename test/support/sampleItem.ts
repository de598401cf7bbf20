import type { Item } from '../../lib/item/item.ts';

/** An item with a value in every field, no value equal to its default. */
export const sampleItem: Item = {
  id: 7,
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
  revision: 3,
  createdAt: Date.UTC(2026, 10, 20, 23, 10, 0, 789),
};
