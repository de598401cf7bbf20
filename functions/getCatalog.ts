import { getCatalogHandler } from '../lib/http/getCatalogHandler.ts';
import { readerDependencies } from '../lib/runtime/composition.ts';

export const handler = getCatalogHandler(readerDependencies(process.env));
