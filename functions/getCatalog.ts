import { getCatalogHandler } from '../lib/http/getCatalogHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalogReader.ts';

export const handler = getCatalogHandler(operationDependencies(process.env, dynamoCatalogReader));
