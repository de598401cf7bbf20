import type { Account } from '../item/account.ts';
import type { FilterField, IdentifierName, ItemFields } from '../item/fields.ts';
import type { Item } from '../item/item.ts';
import type { RequestContext } from './requestContext.ts';

/** A container's store, opened for one request and its caller's account. */
export type OpenStore<Store> = (context: RequestContext) => Store;

export interface AccountReader {
  /** The account's configuration, at most 60 s old. @throws CatalogError `FORBIDDEN` if there is no such account */
  account(): Promise<Account>;
  /** The account's current configuration. Read it before reporting a category or unit as unknown. */
  currentAccount(): Promise<Account>;
}

/** The SKU or the part number of an item, which is unique within an account. */
export interface Identifier {
  readonly name: IdentifierName;
  /** In its stored form. */
  readonly text: string;
}

/** A position in an account's item list, which is sorted by listed name and then by id. */
export interface ListPosition {
  readonly name: string;
  readonly id: number;
}

/** Undefined matches any value of a field. */
export interface ItemFilter extends Readonly<{ [Name in FilterField]: NonNullable<ItemFields[Name]> | undefined }> {
  /** Beginning of the name, ignoring case, accents and extra blanks. */
  readonly search: string;
}

export interface ListQuery extends ItemFilter {
  readonly limit: number;
  readonly isDescending: boolean;
  /** Start after this position, in this order. Undefined starts at the beginning of the list. */
  readonly after: ListPosition | undefined;
}

interface ListedItem {
  readonly item: Item;
  /** Its position in the list, which may lag behind the item. */
  readonly position: ListPosition;
}

export interface ListPage {
  readonly items: readonly ListedItem[];
  /** The next page starts after this position. Undefined on the last page. */
  readonly next: ListPosition | undefined;
}

/** What read-only use cases need from the store. Undefined stands for an item that the account does not have. */
export interface CatalogReader extends AccountReader {
  findItem(id: number): Promise<Item | undefined>;
  /** The current items by their ids, without those that the account does not have. At most 100. */
  findItems(ids: readonly number[]): Promise<ReadonlyMap<number, Item>>;
  findByIdentifier(identifier: Identifier): Promise<Item | undefined>;
  /**
   * A page of the account's list. It may be shorter than its limit, or even empty, without being the last. The list is
   * eventually consistent: an item that was just written may be missing, or may no longer match the filter.
   */
  listPage(query: ListQuery): Promise<ListPage>;
}
