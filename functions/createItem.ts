import { createItemHandler } from '../lib/http/createItem.ts';
import { itemDependencies } from '../lib/runtime/compose.ts';

export const handler = createItemHandler(itemDependencies(process.env));
