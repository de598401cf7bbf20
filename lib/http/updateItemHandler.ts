import type { ItemUpdater } from '../catalog/catalogStore.ts';
import { updateItem } from '../catalog/updateItem.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { itemAnswer } from './presenter.ts';
import { idempotencyKey, ifMatch, pathId } from './requestParts.ts';

/** `PUT …/items/{id}` (spec 4.2): 200 with the updated item and its new `ETag`. */
export const updateItemHandler = (dependencies: OperationDependencies<ItemUpdater>): ProxyHandler =>
  operation('updateItem', dependencies)
    .use(pathId('ITEM_NOT_FOUND'))
    .use(jsonBody())
    .use(ifMatch())
    .use(idempotencyKey())
    .handler(async (_, { caller, store, id, body, revisions, key }) => {
      const updated = await updateItem(store, { id, body, revisions, key });
      return { ...itemAnswer(updated, caller), replayed: updated.replayed };
    });
