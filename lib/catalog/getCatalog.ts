import type { Account } from '../item/account.ts';
import { defaultsOf } from '../item/defaults.ts';
import type { ItemFields } from '../item/item.ts';
import { itemTypes } from '../item/item.ts';
import type { CatalogReader } from './catalogReader.ts';
import type { RequestContext } from './requestContext.ts';

/** What a form for an item is made from. */
export interface CatalogReference {
  readonly account: Account;
  /** By type of item, what a create takes for the fields that it leaves out. */
  readonly defaults: Readonly<Record<ItemFields['type'], Omit<ItemFields, 'name'>>>;
}

/**
 * What the account has set up, at most 60 s old.
 * @throws CatalogError `FORBIDDEN` when there is no such account
 */
export async function getCatalog(store: CatalogReader, context: RequestContext): Promise<CatalogReference> {
  const account = await store.account(context);
  const defaults = itemTypes.map((type) => [type, defaultsOf(type, account)]);
  return { account, defaults: Object.fromEntries(defaults) };
}
