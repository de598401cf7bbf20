import { listChangesHandler } from '../lib/http/listChangesHandler.ts';
import { operationDependencies } from '../lib/runtime/operationDependencies.ts';
import { dynamoChangeReader } from '../lib/store/catalog/dynamoChangeReader.ts';

export const handler = listChangesHandler(operationDependencies(process.env, dynamoChangeReader));
