import type { Account } from '../item/account.ts';
import type { Item, ItemChange, ItemFields } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import type { AccountReader } from './catalogReader.ts';
import type { RequestContext } from './requestContext.ts';

/** The key by which a create can be repeated without being done again. */
export interface IdempotencyKey {
  readonly key: string;
  /** The fields that were sent, as they were validated. A repeat has equal ones, in whatever order. */
  readonly sent: JsonObject;
}

export interface InsertedItem {
  readonly item: Item;
  /** Whether an earlier request with the same key has created it. */
  readonly replayed: boolean;
}

/** An update of one item, validated. */
export interface Modification {
  readonly id: number;
  readonly change: ItemChange;
  /** The revisions that the item must be at (`If-Match`); undefined: any. */
  readonly revisions: readonly number[] | undefined;
  /** The account as the change was validated against. */
  readonly account: Account;
}

export interface ModifiedItem {
  readonly item: Item;
  /** Whether the item is at none of the revisions that were named. It is then left as it is. */
  readonly isOutdated: boolean;
}

/** What the use cases that write need of the store. */
export interface CatalogStore extends AccountReader {
  /**
   * Gets ready for an insert while the request is still being checked. It may not come to one. Never throws: what goes
   * wrong shows when the item is inserted.
   */
  prepareInsert(context: RequestContext): Promise<void>;
  /**
   * Stores a new item, once for a key.
   * @throws CatalogError `ITEM_ALREADY_EXISTS`, `IDEMPOTENCY_KEY_REUSED`, and nothing was stored; `SERVICE_UNAVAILABLE`
   * when it could not be done or told in time, and the same request with its key can be sent again
   */
  insertItem(context: RequestContext, fields: ItemFields, key?: IdempotencyKey): Promise<InsertedItem>;
  /** What an earlier create with this key and the same body has made. */
  findCreated(context: RequestContext, key: IdempotencyKey): Promise<Item | undefined>;
  /**
   * Changes an item in one atomic write.
   * @returns the item after the change, or the item as it is when it is outdated
   * @throws CatalogError `ITEM_NOT_FOUND`, `VALIDATION_FAILED` on `category` or `metadata`, `ITEM_ALREADY_EXISTS`;
   * `SERVICE_UNAVAILABLE` when it could not be done or told in time, and the same request can be sent again
   */
  modifyItem(context: RequestContext, modification: Modification): Promise<ModifiedItem>;
}
