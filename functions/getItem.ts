import { getItemHandler } from '../lib/http/getItemHandler.ts';
import { readerDependencies } from '../lib/runtime/readerDependencies.ts';

export const handler = getItemHandler(readerDependencies(process.env));
