import { randomUUID } from 'node:crypto';

export { itemOf as idOf } from './turn.ts';

/** An id in keys. */
export const digits = (id: number): string => String(id).padStart(16, '0');

/** The attributes of a new item as the service stores them, without its keys and identifiers. */
export const newFields = (id: number, number: number) => ({
  id,
  name: `Chair ${number}`,
  type: 'product',
  category: 1,
  value: 12.5,
  qty: 1,
  unit: 'un',
  active: true,
  cost: 0,
  tax: 0,
  metadata: {},
  revision: 1,
  created_at: Date.now(),
  ...lastWrite(),
});

/** The attributes that say who wrote last. */
export const lastWrite = () => ({ written_by: 'user-1', written_stamp: randomUUID(), written_at: Date.now() });
