import { getItemHandler } from '../lib/http/getItemHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoCatalogReader } from '../lib/store/catalog/dynamoCatalogReader.ts';

export const handler = getItemHandler(operationDependencies(process.env, dynamoCatalogReader));
