import { listItemsHandler } from '../lib/http/listItemsHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalogReader.ts';

export const handler = listItemsHandler(operationDependencies(process.env, dynamoCatalogReader));
