import type { CatalogReader } from '../catalog/catalogReader.ts';
import { getItem } from '../catalog/getItem.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler } from './operation.ts';
import { readParameters } from './parameters.ts';
import { itemAnswer } from './presenter.ts';
import { pathId } from './requestParts.ts';

/** `GET …/items/{id}`: 200 with the current item and its `ETag`. */
export const getItemHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operationHandler('getItem', dependencies, async (event, { caller, store }) => {
    const id = pathId(event, 'ITEM_NOT_FOUND');
    readParameters(event, {});
    return itemAnswer(await getItem(store, id), caller);
  });
