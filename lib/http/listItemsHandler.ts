import type { Caller } from '../access/caller.ts';
import type { CatalogReader } from '../catalog/catalogReader.ts';
import { type ItemPage, listItems } from '../catalog/listItems.ts';
import { encodeCursor } from './cursor.ts';
import { itemQuery } from './listParameters.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler } from './operation.ts';
import { fitting, presentItem } from './presenter.ts';

/** `GET …/items`: 200 with a page of the account's items and the cursor of the next page. */
export const listItemsHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operationHandler('listItems', dependencies, async (event, { caller, store }) => {
    const query = itemQuery(event);
    const page = await listItems(store, query);
    return { body: presentPage(page, caller) };
  });

/** Returns as many items as fit in a response. The next page continues with the rest. */
function presentPage({ items, next }: ItemPage, caller: Caller) {
  const data = fitting(items.map(({ item, categoryName }) => presentItem(item, categoryName, caller)));
  const end = data.length < items.length ? items[data.length - 1]?.position : next;
  return { data, next_cursor: end === undefined ? null : encodeCursor(end) };
}
