import { updateItemHandler } from '../lib/http/updateItemHandler.ts';
import { itemDependencies } from '../lib/runtime/itemDependencies.ts';

export const handler = updateItemHandler(itemDependencies(process.env));
