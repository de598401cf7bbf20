import type { CatalogReader } from '../catalog/catalogStore.ts';
import { getItem } from '../catalog/getItem.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { itemAnswer } from './presenter.ts';
import { pathId, query } from './requestParts.ts';

/** `GET …/items/{id}`: 200 with the current item and its `ETag`. */
export const getItemHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operation('getItem', dependencies)
    .use(pathId('ITEM_NOT_FOUND'))
    .use(query({}))
    .handler(async (_, { caller, store, id }) => itemAnswer(await getItem(store, id), caller));
