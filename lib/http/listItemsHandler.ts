import type { Caller } from '../access/caller.ts';
import type { CatalogReader } from '../catalog/catalogReader.ts';
import { type ItemPage, listItems } from '../catalog/listItems.ts';
import { limits } from '../item/limits.ts';
import { encodeCursor } from './cursor.ts';
import { itemQuery } from './listParameters.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler } from './operation.ts';
import { presentItem } from './presenter.ts';

/** `GET …/items`: 200 with a page of the account's items and the cursor of the next page. */
export const listItemsHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operationHandler('listItems', dependencies, async (event, { caller, store }) => {
    const query = itemQuery(event);
    const page = await listItems(store, query);
    return { body: presentPage(page, caller) };
  });

/** Returns as many items as fit in a response, at least one. The next page continues with the rest. */
export function presentPage({ items, next }: ItemPage, caller: Caller) {
  const data: object[] = [];
  let end = next;
  let bytes = 0;
  for (const [index, { item, categoryName }] of items.entries()) {
    const shown = presentItem(item, categoryName, caller);
    bytes += Buffer.byteLength(JSON.stringify(shown));
    if (bytes > limits.pageBytes) {
      end = items[index - 1]?.position;
      break;
    }
    data.push(shown);
  }
  return { data, next_cursor: end === undefined ? null : encodeCursor(end) };
}
