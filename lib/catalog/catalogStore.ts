import type { Account, Category } from '../item/account.ts';
import type { FilterField, IdentifierName, ItemFields } from '../item/fields.ts';
import type { Item, ItemChange } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import type { RequestContext } from './requestContext.ts';

/** A container's store, opened for one request and its caller's account. */
export type OpenStore<Store> = (context: RequestContext) => Store;

export interface AccountReader {
  /** The account's configuration, at most 60 s old. @throws CatalogError `FORBIDDEN` if there is no such account */
  account(): Promise<Account>;
  /** The account's current configuration. */
  currentAccount(): Promise<Account>;
}

/** What reading the references in a body needs from the store. */
export interface ReferenceReader extends AccountReader {
  /** `account()`, with these two as they are now. Read it before reporting a category or unit as unknown. */
  accountWith(category: number | null | undefined, unit: string | undefined): Promise<Account>;
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

/** Makes a request safe to retry. */
export interface IdempotencyKey {
  readonly key: string;
  /** The validated fields of the request. A retry must send equal fields, in any order. */
  readonly sent: JsonObject;
}

export interface InsertedItem {
  readonly item: Item;
  /** Whether an earlier request with the same key created the item. */
  readonly replayed: boolean;
}

export interface Modification {
  readonly id: number;
  readonly change: ItemChange;
  /** The item must be at one of these revisions (`If-Match`). Undefined allows any. */
  readonly revisions: readonly number[] | undefined;
  /** The item must still have the change's value of this identifier, by which it was found. */
  readonly match?: IdentifierName | undefined;
  readonly key?: IdempotencyKey | undefined;
  /** If the change would change nothing, nothing is written but the key, so that a repeat writes nothing either. */
  readonly skipsUnchanged?: boolean | undefined;
  /** The account configuration that the change was validated against. */
  readonly account: Account;
}

export interface ModifiedItem {
  /** The item before the update that was not written, because it is a dry run. */
  readonly before?: Item | undefined;
  /** The item after the update, possibly with later changes by others. */
  readonly item: Item;
  /** True if the item is at none of the given revisions, or not the one to match. In that case nothing was written. */
  readonly isOutdated: boolean;
  /** Whether an earlier request with the same key did the update. In that case nothing was written. */
  readonly replayed: boolean;
  /** Whether the item was left as it is, because the update would have changed nothing. */
  readonly isUnchanged?: boolean | undefined;
}

/** What creating items needs from the store. */
export interface ItemCreator extends ReferenceReader {
  /** Prepares for inserts, by default one, which need not follow. Never throws: if it fails, the insert reports it. */
  prepareInsert(count?: number): Promise<void>;
  /**
   * Stores a new item, at most once per key.
   * @throws CatalogError `ITEM_ALREADY_EXISTS` or `IDEMPOTENCY_KEY_REUSED`: nothing was stored; `SERVICE_UNAVAILABLE`:
   * not possible in time, or not known, and the same request can be sent again with its key
   */
  insertItem(fields: ItemFields, key?: IdempotencyKey): Promise<InsertedItem>;
  /** The item that an earlier create with this key and the same body created; undefined if there was none. */
  findCreated(key: IdempotencyKey): Promise<Item | undefined>;
}

/** What updating items needs from the store. */
export interface ItemUpdater extends ReferenceReader {
  /**
   * Changes an item in one atomic write.
   * @returns the changed item, or the current item if the given revisions are outdated or it is not the one to match
   * @throws CatalogError `ITEM_NOT_FOUND`, `VALIDATION_FAILED` on `category` or `metadata`, `ITEM_ALREADY_EXISTS`,
   * `IDEMPOTENCY_KEY_REUSED`: nothing was changed; `SERVICE_UNAVAILABLE` as for inserts
   */
  modifyItem(modification: Modification): Promise<ModifiedItem>;
}

/** What creating and updating many items needs from the store. */
export interface ItemWriter extends ItemCreator, ItemUpdater, Pick<CatalogReader, 'findItem' | 'findByIdentifier'> {
  /** Like `findByIdentifier`, but `created` if a create with this key was done, whatever its body was. */
  findMatch(identifier: Identifier, key: string): Promise<Item | 'created' | undefined>;
}

/** The values of new items whose requests omit them. */
export interface Defaults {
  /** Null means no category. */
  readonly category: number | null;
  readonly tax: number;
}

/** All throw CatalogError `FORBIDDEN` without such an account. A change that was refused has changed nothing. */
export interface CatalogConfigurator extends Pick<AccountReader, 'currentAccount'> {
  /** Adds a category. @returns its id */
  addCategory(name: string): Promise<number>;
  /**
   * Items keep a category that is archived, but within a minute it can no longer be chosen.
   * @throws CatalogError `CATEGORY_NOT_FOUND`; `VALIDATION_FAILED` if the default category would be archived
   */
  changeCategory(id: number, change: Partial<Category>): Promise<void>;
  /** Registers a unit. It cannot be changed, because items are rounded by it. @throws CatalogError `UNIT_ALREADY_EXISTS` */
  addUnit(unit: string, decimals: number): Promise<void>;
  /** @throws CatalogError `VALIDATION_FAILED` if the category does not exist or is archived */
  setDefaults(defaults: Partial<Defaults>): Promise<void>;
}
