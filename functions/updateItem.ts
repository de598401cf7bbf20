import { updateItemHandler } from '../lib/http/updateItem.ts';
import { itemDependencies } from '../lib/runtime/compose.ts';

export const handler = updateItemHandler(itemDependencies(process.env));
