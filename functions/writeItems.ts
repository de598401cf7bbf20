import { writeItemsHandler } from '../lib/http/writeItemsHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoItemWriter } from '../lib/store/catalog/dynamoItemWriter.ts';

export const handler = writeItemsHandler(operationDependencies(process.env, dynamoItemWriter));
