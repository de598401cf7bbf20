import type { Item } from '../item/item.ts';

/** An item with the name of its category, which the account keeps and not the item. */
export interface NamedItem {
  readonly item: Item;
  /** Null when the item has no category. */
  readonly categoryName: string | null;
}
