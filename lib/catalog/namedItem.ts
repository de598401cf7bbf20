import type { Item } from '../item/item.ts';

/** An item with its category's name, which is stored with the account, not with the item. */
export interface NamedItem {
  readonly item: Item;
  /** Null if the item has no category. */
  readonly categoryName: string | null;
}
