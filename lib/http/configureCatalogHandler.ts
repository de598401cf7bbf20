import type { CatalogConfigurator } from '../catalog/catalogStore.ts';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../catalog/configureCatalog.ts';
import type { JsonObject } from '../item/json.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operation, type ProxyHandler, servedTogether } from './operation.ts';
import type { Operation } from './operations.ts';
import { pathId } from './requestParts.ts';

type Configure = (store: CatalogConfigurator, body: JsonObject) => Promise<object>;

/** Each operation under `…/catalog` that changes something: 200 or 201 with what was changed, as it is now. */
export function configureCatalogHandler(dependencies: OperationDependencies<CatalogConfigurator>): ProxyHandler {
  const serve = (name: Operation, change: Configure) =>
    operation(name, dependencies)
      .use(jsonBody())
      .handler(async (_, { store, body }) => ({ body: { data: await change(store, body) } }));
  return servedTogether({
    createCategory: serve('createCategory', createCategory),
    updateCategory: operation('updateCategory', dependencies)
      .use(pathId('CATEGORY_NOT_FOUND'))
      .use(jsonBody())
      .handler(async (_, { store, id, body }) => ({ body: { data: await updateCategory(store, id, body) } })),
    createUnit: serve('createUnit', createUnit),
    updateDefaults: serve('updateDefaults', updateDefaults),
  });
}
