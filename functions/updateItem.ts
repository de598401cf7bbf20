import { updateItemHandler } from '../lib/http/updateItem.ts';
import { itemDependencies, openDatabase } from '../lib/runtime/compose.ts';

export const handler = updateItemHandler(itemDependencies(openDatabase(process.env)));
