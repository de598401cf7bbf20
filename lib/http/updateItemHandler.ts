import { readUpdate } from '../item/readBody.ts';
import { allowedRevisions } from './etag.ts';
import { headerValues } from './headers.ts';
import { itemId } from './itemId.ts';
import { jsonBody } from './jsonBody.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { accountFor, asProxyHandler, itemResponse, startOperation } from './operation.ts';

/** `PUT …/items/{id}` (spec 4.2): 200 with the item after the update, and its new entity tag. */
export function updateItemHandler(dependencies: OperationDependencies): ProxyHandler {
  const { store } = dependencies;
  const handler = startOperation('updateItem', dependencies)
    .use(itemId())
    .use(jsonBody())
    .handler(async (event) => {
      const { call, json } = event;
      const revisions = allowedRevisions(headerValues(event, 'if-match'));
      const account = await accountFor(store, call, json);
      const change = readUpdate(json, account);
      const item = await store.modifyItem(call, event.itemId, change, revisions);
      return { status: 200, ...(await itemResponse(store, event, account, item)) };
    });
  return asProxyHandler(handler);
}
