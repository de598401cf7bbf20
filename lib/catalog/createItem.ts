import type { JsonObject } from '../item/json.ts';
import { newItemFields, type ParsedBody, parseBody, unavailableReferences } from '../item/readBody.ts';
import type { IdempotencyKey, InsertedItem, ItemCreator } from './catalogStore.ts';
import { loadAccount, loadCategoryName, type NamedItem } from './loadAccount.ts';

/**
 * Creates an item (spec 4.1), at most once per idempotency key; without one, every request creates an item.
 * @throws CatalogError `VALIDATION_FAILED`, `FORBIDDEN` if there is no such account, and as `ItemCreator.insertItem`
 */
export async function createItem(
  store: ItemCreator,
  body: JsonObject,
  key?: string,
): Promise<InsertedItem & NamedItem> {
  const parsed = parseBody(body);
  const { account, unknown } = await prepareCreate(store, parsed);
  const request: IdempotencyKey | undefined = key === undefined ? undefined : { key, sent: parsed.sent };
  // If an unavailable reference is the only problem, this may be a retry: the category may have been archived since the
  // key's first request.
  const mayBeReplay = unknown.length > 0 && parsed.invalid.length === 0;
  const earlier = request && mayBeReplay ? await store.findCreated(request) : undefined;
  const created: InsertedItem = earlier
    ? { item: earlier, replayed: true }
    : await store.insertItem(newItemFields(parsed, unknown, account), request);
  return { ...created, categoryName: await loadCategoryName(store, account, created.item) };
}

/** Loads the account while the store prepares for the insert, if there can be one. */
async function prepareCreate(store: ItemCreator, parsed: ParsedBody) {
  const prepared = parsed.invalid.length === 0 ? store.prepareInsert() : undefined;
  try {
    return await loadAccount(store, parsed, unavailableReferences);
  } finally {
    // No database request may be under way when this one is answered, because Lambda then stops the function's clock.
    await prepared;
  }
}
