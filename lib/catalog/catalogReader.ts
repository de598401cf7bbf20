import type { Account } from '../item/account.ts';
import type { Item, ItemFields } from '../item/item.ts';
import type { RequestContext } from './requestContext.ts';

/** Where the configuration of accounts is known. */
export interface AccountReader {
  /** The account's configuration, at most 60 s old. Throws CatalogError `FORBIDDEN` when there is no such account. */
  account(context: RequestContext): Promise<Account>;
  /** The account's configuration as it is now: to be asked before something is said to be unknown. */
  currentAccount(context: RequestContext): Promise<Account>;
}

/** An identifier that at most one item of an account has. */
export interface IdentifierQuery {
  readonly name: 'sku' | 'pn';
  /** In its stored form. */
  readonly text: string;
}

/** A place in an account's list of items, which is in the order of their listed names and then of their ids. */
export interface Place {
  readonly name: string;
  readonly id: number;
}

/** Which items are listed. */
export interface ItemFilter {
  readonly includeInactive: boolean;
  /** Undefined: any. */
  readonly category: number | undefined;
  readonly type: ItemFields['type'] | undefined;
  /** What the names begin with, without regard to case and accents. */
  readonly search: string;
}

/** Which part of the list is asked for. */
export interface ListQuery extends ItemFilter {
  /** The most items that it has. */
  readonly limit: number;
  /** The place after which it begins; undefined: at the beginning. */
  readonly after: Place | undefined;
}

export interface ListedItem {
  /** As it is now. */
  readonly item: Item;
  /** Where the list has it, which may lag behind the item. */
  readonly place: Place;
}

export interface ListPage {
  readonly items: readonly ListedItem[];
  /** The place after which the list goes on; undefined when it has ended. */
  readonly next: Place | undefined;
}

/** What the use cases that only read need of the store. */
export interface CatalogReader extends AccountReader {
  /** An item as it is now; undefined when the account has none with this id. */
  findItem(context: RequestContext, id: number): Promise<Item | undefined>;
  /** The item that has an identifier now; undefined when none has it. */
  findByIdentifier(context: RequestContext, identifier: IdentifierQuery): Promise<Item | undefined>;
  /**
   * A page of the account's list. It may be shorter than its limit, or empty, without being the last. The list lags behind
   * the items by moments: an item that was just written may be missing, or be one that the filter would leave out.
   */
  listItems(context: RequestContext, query: ListQuery): Promise<ListPage>;
}
