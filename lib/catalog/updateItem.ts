import type { JsonObject } from '../item/json.ts';
import { itemChange, parseBody, unknownReferences } from '../item/readBody.ts';
import type { CatalogStore } from './catalogStore.ts';
import { loadAccount, loadCategoryName } from './loadAccount.ts';
import type { NamedItem } from './namedItem.ts';
import { PreconditionFailed } from './preconditionFailed.ts';
import type { RequestContext } from './requestContext.ts';

/** An update as the caller requested it. */
export interface UpdateRequest {
  readonly id: number;
  readonly body: JsonObject;
  /** The item must be at one of these revisions (`If-Match`). Undefined allows any. */
  readonly revisions: readonly number[] | undefined;
}

/**
 * Updates an item partially (spec 4.2).
 * @throws CatalogError `NOTHING_TO_UPDATE`, `VALIDATION_FAILED`, `FORBIDDEN` if there is no such account, and the
 * errors of `CatalogStore.modifyItem`
 * @throws PreconditionFailed if the item is at none of the revisions
 */
export async function updateItem(
  store: CatalogStore,
  context: RequestContext,
  { id, body, revisions }: UpdateRequest,
): Promise<NamedItem> {
  const parsed = parseBody(body);
  const { account, unknown } = await loadAccount(store, context, parsed, unknownReferences);
  const change = itemChange(parsed, unknown, account);
  const { item, isOutdated } = await store.modifyItem(context, { id, change, revisions, account });
  const named = { item, categoryName: await loadCategoryName(store, context, account, item) };
  if (isOutdated) throw new PreconditionFailed(named);
  return named;
}
