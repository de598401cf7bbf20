import { getCatalogHandler } from '../lib/http/getCatalogHandler.ts';
import { readerDependencies } from '../lib/runtime/readerDependencies.ts';

export const handler = getCatalogHandler(readerDependencies(process.env));
