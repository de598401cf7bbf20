import { updateItemHandler } from '../lib/http/updateItemHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoItemUpdater } from '../lib/store/catalog/dynamoItemWriter.ts';

export const handler = updateItemHandler(operationDependencies(process.env, dynamoItemUpdater));
