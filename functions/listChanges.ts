import { dynamoChangeReader } from '../lib/changes/dynamoChangeReader.ts';
import { listChangesHandler } from '../lib/changes/listChangesHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';

export const handler = listChangesHandler(operationDependencies(process.env, dynamoChangeReader));
