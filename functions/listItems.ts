import { listItemsHandler } from '../lib/http/listItemsHandler.ts';
import { readerDependencies } from '../lib/runtime/composition.ts';

export const handler = listItemsHandler(readerDependencies(process.env));
