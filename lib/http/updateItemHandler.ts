import { updateItem } from '../catalog/updateItem.ts';
import { allowedRevisions, etag } from './etag.ts';
import { headerValues } from './headers.ts';
import { itemId } from './itemId.ts';
import { jsonBody } from './jsonBody.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { operationHandler } from './operation.ts';
import { presentItem } from './presenter.ts';

/** `PUT …/items/{id}` (spec 4.2): 200 with the updated item and its new `ETag`. */
export const updateItemHandler = (dependencies: OperationDependencies): ProxyHandler =>
  operationHandler('updateItem', 'catalog:edit', dependencies, async (event, { caller, context }) => {
    const id = itemId(event);
    const body = jsonBody(event);
    const revisions = allowedRevisions(headerValues(event, 'if-match'));
    const { item, categoryName } = await updateItem(dependencies.store, context, { id, body, revisions });
    return {
      status: 200,
      headers: { etag: etag(item.revision) },
      body: { data: presentItem(item, categoryName, caller) },
    };
  });
