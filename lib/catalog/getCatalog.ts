import type { Account } from '../item/account.ts';
import { defaultsOf, type ItemFields, type ItemType, itemTypes } from '../item/fields.ts';
import type { CatalogReader } from './catalogReader.ts';

export interface CatalogReference {
  readonly account: Account;
  /** Default values for the fields that a create omits, by item type. */
  readonly defaults: Readonly<Record<ItemType, Omit<ItemFields, 'name'>>>;
}

/**
 * The account's configuration and defaults.
 * @param options whether to read them now, because otherwise they may be 60 s old
 * @throws CatalogError `FORBIDDEN` if there is no such account
 */
export async function getCatalog(store: CatalogReader, { isCurrent = false } = {}): Promise<CatalogReference> {
  const account = await (isCurrent ? store.currentAccount() : store.account());
  const defaults = itemTypes.map((type) => [type, defaultsOf(type, account)]);
  return { account, defaults: Object.fromEntries(defaults) };
}
