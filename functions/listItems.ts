import { listItemsHandler } from '../lib/http/listItemsHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = listItemsHandler(operationDependencies(process.env, dynamoCatalogReader));
