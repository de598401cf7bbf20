import { getCatalogHandler } from '../lib/http/getCatalogHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = getCatalogHandler(operationDependencies(process.env, dynamoCatalogReader));
