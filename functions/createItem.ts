import { createItemHandler } from '../lib/http/createItemHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoItemCreator } from '../lib/store/catalog/dynamoItemWriter.ts';

export const handler = createItemHandler(operationDependencies(process.env, dynamoItemCreator));
