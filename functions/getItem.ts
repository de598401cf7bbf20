import { getItemHandler } from '../lib/http/getItemHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = getItemHandler(operationDependencies(process.env, dynamoCatalogReader));
