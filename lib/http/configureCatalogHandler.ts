import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { CatalogConfigurator } from '../catalog/catalogStore.ts';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../catalog/configureCatalog.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operationHandler, type ProxyHandler, servedTogether } from './operation.ts';
import type { Operation } from './operations.ts';
import { pathId } from './requestParts.ts';

type Configure = (store: CatalogConfigurator, event: APIGatewayProxyEvent) => Promise<object>;

/** Each operation under `…/catalog` that changes something: 200 or 201 with what was changed, as it is now. */
export function configureCatalogHandler(dependencies: OperationDependencies<CatalogConfigurator>): ProxyHandler {
  const serve = (operation: Operation, change: Configure) =>
    operationHandler(operation, dependencies, async (event, { store }) => ({
      body: { data: await change(store, event) },
    }));
  return servedTogether({
    createCategory: serve('createCategory', (store, event) => createCategory(store, jsonBody(event))),
    updateCategory: serve('updateCategory', (store, event) =>
      updateCategory(store, pathId(event, 'CATEGORY_NOT_FOUND'), jsonBody(event)),
    ),
    createUnit: serve('createUnit', (store, event) => createUnit(store, jsonBody(event))),
    updateDefaults: serve('updateDefaults', (store, event) => updateDefaults(store, jsonBody(event))),
  });
}
