import { hasPermission } from '../access/caller.ts';
import type { CatalogReader } from '../catalog/catalogReader.ts';
import { getCatalog } from '../catalog/getCatalog.ts';
import { presentCatalog } from './catalogPresenter.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { query } from './parameters.ts';

/** `GET …/catalog`: 200 with the data needed to build an item form, read anew for whoever may change it. */
export const getCatalogHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operation('getCatalog', dependencies)
    .use(query({}))
    .handler(async (_, { caller, store }) => {
      const reference = await getCatalog(store, { isCurrent: hasPermission(caller, 'catalog:admin') });
      return { body: { data: presentCatalog(reference, caller) } };
    });
