import type { Account } from '../item/account.ts';
import type { InvalidField } from '../item/errors.ts';
import type { Item } from '../item/item.ts';
import type { ParsedBody } from '../item/readBody.ts';
import type { CatalogStore } from './catalogStore.ts';
import type { RequestContext } from './requestContext.ts';

/**
 * The account that a body is checked against. What seems unknown may have been added within the last minute, so the
 * account is then read again.
 * @param findUnknown what a body refers to that an account does not have
 * @returns the account, and what was found in it
 * @throws CatalogError `FORBIDDEN` when there is no such account
 */
export async function loadAccount(
  store: CatalogStore,
  context: RequestContext,
  parsed: ParsedBody,
  findUnknown: (parsed: ParsedBody, account: Account) => readonly InvalidField[],
): Promise<{ account: Account; unknown: readonly InvalidField[] }> {
  const cached = await store.account(context);
  if (findUnknown(parsed, cached).length === 0) return { account: cached, unknown: [] };
  const account = await store.currentAccount(context);
  return { account, unknown: findUnknown(parsed, account) };
}

/**
 * The name of an item's category; null when it has none. Another request may have given the item a category that is
 * newer than the account at hand, so the account is then read again. If that fails, the name is null: the item has been
 * written, and an error would hide it.
 */
export async function loadCategoryName(
  store: CatalogStore,
  context: RequestContext,
  account: Account,
  { category }: Item,
): Promise<string | null> {
  if (category === null) return null;
  const known = account.categories.get(category);
  if (known !== undefined) return known.name;
  const current = await store.currentAccount(context).catch(() => account);
  return current.categories.get(category)?.name ?? null;
}
