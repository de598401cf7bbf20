import type { Account } from '../item/account.ts';
import type { InvalidField } from '../item/errors.ts';
import type { Item } from '../item/item.ts';
import type { ParsedBody } from '../item/readBody.ts';
import type { AccountReader, ReferenceReader } from './catalogStore.ts';

/** An item with its category's name, which is stored with the account, not with the item. */
export interface NamedItem {
  readonly item: Item;
  /** Null if the item has no category. */
  readonly categoryName: string | null;
}

/**
 * Loads the account that a body is validated against. What the cached one lacks may have been added within the last minute,
 * so it is read before `findUnknown` decides.
 * @throws CatalogError `FORBIDDEN` if there is no such account
 */
export async function loadAccount(
  store: ReferenceReader,
  parsed: ParsedBody,
  findUnknown: (parsed: ParsedBody, account: Account) => readonly InvalidField[],
): Promise<{ account: Account; unknown: readonly InvalidField[] }> {
  const cached = await store.account();
  if (findUnknown(parsed, cached).length === 0) return { account: cached, unknown: [] };
  const account = await store.accountWith(parsed.sent.category, parsed.sent.unit);
  return { account, unknown: findUnknown(parsed, account) };
}

/** Like {@link loadCategoryNames}, for a single item. */
export const loadCategoryName = async (store: AccountReader, account: Account, item: Item): Promise<string | null> =>
  (await loadCategoryNames(store, account, [item]))(item);

/**
 * Looks up the category names of items; null for an item without a category. If the cached account lacks one, which may
 * be newer, it is read again. If that fails, the name is null, because an error would hide what was read or written.
 */
export async function loadCategoryNames(
  store: AccountReader,
  account: Account,
  items: readonly Item[],
): Promise<(item: Item) => string | null> {
  const isUnknown = ({ category }: Item) => category !== null && !account.categories.has(category);
  const current = items.some(isUnknown) ? await store.currentAccount().catch(() => account) : account;
  return ({ category }) => (category === null ? null : (current.categories.get(category)?.name ?? null));
}
