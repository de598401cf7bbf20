import { writeItemsHandler } from '../lib/http/writeItemsHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoItemWriter } from '../lib/store/catalog/dynamoCatalog.ts';

export const handler = writeItemsHandler(operationDependencies(process.env, dynamoItemWriter));
