import { dynamoCatalogStore } from '../store/catalog/dynamoCatalogStore.ts';
import type { Source } from './environment.ts';
import { operationDependencies } from './operationDependencies.ts';

/** Creates the dependencies of the functions that write items. */
export const itemDependencies = (source: Source) => operationDependencies(source, dynamoCatalogStore);
