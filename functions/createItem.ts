import { createItemHandler } from '../lib/http/createItemHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoItemCreator } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = createItemHandler(operationDependencies(process.env, dynamoItemCreator));
