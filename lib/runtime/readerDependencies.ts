import { dynamoCatalogReader } from '../store/catalog/dynamoCatalogReader.ts';
import type { Source } from './environment.ts';
import { operationDependencies } from './operationDependencies.ts';

/** Creates the dependencies of the functions that only read. */
export const readerDependencies = (source: Source) => operationDependencies(source, dynamoCatalogReader);
