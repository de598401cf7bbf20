import type { ItemUpdater } from '../catalog/catalogStore.ts';
import { updateItem } from '../catalog/updateItem.ts';
import { headerValues } from './headers.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler } from './operation.ts';
import { itemAnswer } from './presenter.ts';
import { allowedRevisions, idempotencyKey, pathId } from './requestParts.ts';

/** `PUT …/items/{id}` (spec 4.2): 200 with the updated item and its new `ETag`. */
export const updateItemHandler = (dependencies: OperationDependencies<ItemUpdater>): ProxyHandler =>
  operationHandler('updateItem', dependencies, async (event, { caller, store }) => {
    const id = pathId(event, 'ITEM_NOT_FOUND');
    const body = jsonBody(event);
    const revisions = allowedRevisions(headerValues(event, 'if-match'));
    const key = idempotencyKey(headerValues(event, 'idempotency-key'));
    const updated = await updateItem(store, { id, body, revisions, key });
    return { ...itemAnswer(updated, caller), replayed: updated.replayed };
  });
