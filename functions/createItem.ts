import { createItemHandler } from '../lib/http/createItem.ts';
import { itemDependencies, openDatabase } from '../lib/runtime/compose.ts';

export const handler = createItemHandler(itemDependencies(openDatabase(process.env)));
