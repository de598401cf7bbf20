import { createItemHandler } from '../lib/http/createItemHandler.ts';
import { itemDependencies } from '../lib/runtime/itemDependencies.ts';

export const handler = createItemHandler(itemDependencies(process.env));
