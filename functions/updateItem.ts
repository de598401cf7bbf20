import { updateItemHandler } from '../lib/http/updateItemHandler.ts';
import { itemDependencies } from '../lib/runtime/composition.ts';

export const handler = updateItemHandler(itemDependencies(process.env));
