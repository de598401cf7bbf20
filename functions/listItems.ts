import { listItemsHandler } from '../lib/http/listItemsHandler.ts';
import { readerDependencies } from '../lib/runtime/readerDependencies.ts';

export const handler = listItemsHandler(readerDependencies(process.env));
