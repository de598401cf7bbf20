import type { Account } from '../item/account.ts';
import type { InvalidField } from '../item/errors.ts';
import type { Item } from '../item/item.ts';
import type { ParsedBody } from '../item/readBody.ts';
import type { AccountReader } from './catalogReader.ts';
import type { RequestContext } from './requestContext.ts';

/**
 * The account that a body is checked against. What seems unknown may have been added within the last minute, so the
 * account is then read again.
 * @param findUnknown what a body refers to that an account does not have
 * @returns the account, and what was found in it
 * @throws CatalogError `FORBIDDEN` when there is no such account
 */
export async function loadAccount(
  store: AccountReader,
  context: RequestContext,
  parsed: ParsedBody,
  findUnknown: (parsed: ParsedBody, account: Account) => readonly InvalidField[],
): Promise<{ account: Account; unknown: readonly InvalidField[] }> {
  const cached = await store.account(context);
  if (findUnknown(parsed, cached).length === 0) return { account: cached, unknown: [] };
  const account = await store.currentAccount(context);
  return { account, unknown: findUnknown(parsed, account) };
}

/** The name of an item's category, as {@link loadCategoryNames} knows it. */
export const loadCategoryName = async (
  store: AccountReader,
  context: RequestContext,
  account: Account,
  item: Item,
): Promise<string | null> => (await loadCategoryNames(store, context, account, [item]))(item);

/**
 * The names of items' categories; null where there is none. Another request may have given an item a category that is
 * newer than the account at hand, so the account is then read again. If that fails, the name is null: an error would hide
 * items that have been read, or written.
 */
export async function loadCategoryNames(
  store: AccountReader,
  context: RequestContext,
  account: Account,
  items: readonly Item[],
): Promise<(item: Item) => string | null> {
  const isUnknown = ({ category }: Item) => category !== null && !account.categories.has(category);
  const current = items.some(isUnknown) ? await store.currentAccount(context).catch(() => account) : account;
  return ({ category }) => (category === null ? null : (current.categories.get(category)?.name ?? null));
}
