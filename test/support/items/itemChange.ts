import type { ItemChange } from '../../../lib/item/item.ts';

/** A change of these fields, and of anything else that is given. */
export const change = (fields: ItemChange['fields'], rest: Partial<ItemChange> = {}): ItemChange => ({
  fields,
  metadata: { set: {}, remove: [] },
  ...rest,
});
