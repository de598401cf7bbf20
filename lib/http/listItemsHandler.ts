import type { Caller } from '../access/caller.ts';
import type { CatalogReader } from '../catalog/catalogStore.ts';
import { type ItemPage, listItems } from '../catalog/listItems.ts';
import { listedName } from '../item/listedName.ts';
import { encodeItemCursor, type ItemCursor, mayBeOfChanges } from './cursor.ts';
import { listQuery, requireListed } from './listParameters.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { fitting, presentItem } from './presenter.ts';

/** `GET …/items`: 200 with a page of the account's items and the cursor of the next page. */
export const listItemsHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operation('listItems', dependencies)
    .use(listQuery())
    .handler(async (_, { caller, store, query }) => {
      await requireOfItems(store, query.after);
      const page = await listItems(store, query);
      return { body: presentPage(page, query.isDescending, caller) };
    });

/** @throws CatalogError `VALIDATION_FAILED` if the cursor that was sent is that of a list of changes */
async function requireOfItems(store: CatalogReader, cursor: ItemCursor | undefined): Promise<void> {
  if (cursor === undefined || !mayBeOfChanges(cursor)) return;
  const item = await store.findItem(cursor.id);
  requireListed(cursor, ({ name }) => item !== undefined && listedName(item.name) === name);
}

/** Returns as many items as fit in a response. The next page continues with the rest. */
function presentPage({ items, next }: ItemPage, isDescending: boolean, caller: Caller) {
  const data = fitting(items.map(({ item, categoryName }) => presentItem(item, categoryName, caller)));
  const end = data.length < items.length ? items[data.length - 1]?.position : next;
  return { data, next_cursor: end === undefined ? null : encodeItemCursor(end, isDescending) };
}
