import type { JsonObject } from '../item/json.ts';
import { newItemFields, parseBody, unavailableReferences } from '../item/readBody.ts';
import type { CatalogStore, IdempotencyKey, InsertedItem } from './catalogStore.ts';
import { loadAccount, loadCategoryName } from './loadAccount.ts';
import type { NamedItem } from './namedItem.ts';
import type { RequestContext } from './requestContext.ts';

export interface CreatedItem extends InsertedItem, NamedItem {}

/**
 * Creates an item (spec 4.1), once for a key.
 * @param body the request body
 * @param key the key by which it can be repeated; left out: each request creates an item
 * @throws CatalogError `VALIDATION_FAILED`, `FORBIDDEN` when there is no such account, and as `CatalogStore.insertItem`
 */
export async function createItem(
  store: CatalogStore,
  context: RequestContext,
  body: JsonObject,
  key?: string,
): Promise<CreatedItem> {
  const parsed = parseBody(body);
  const prepared = parsed.invalid.length === 0 ? store.prepareInsert(context) : undefined;
  // No message may be under way when the request is answered, because Lambda then stops the function's clock.
  const { account, unknown } = await loadAccount(store, context, parsed, unavailableReferences).finally(() => prepared);
  const request: IdempotencyKey | undefined = key === undefined ? undefined : { key, sent: parsed.sent };
  // If an unknown reference is all that is wrong, its category may have been archived since the key's first request.
  const mayBeReplay = unknown.length > 0 && parsed.invalid.length === 0;
  const earlier = request && mayBeReplay ? await store.findCreated(context, request) : undefined;
  const created: InsertedItem = earlier
    ? { item: earlier, replayed: true }
    : await store.insertItem(context, newItemFields(parsed, unknown, account), request);
  return { ...created, categoryName: await loadCategoryName(store, context, account, created.item) };
}
