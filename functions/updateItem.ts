import { updateItemHandler } from '../lib/http/updateItemHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoItemUpdater } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = updateItemHandler(operationDependencies(process.env, dynamoItemUpdater));
