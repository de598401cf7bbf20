import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { CatalogConfigurator } from '../catalog/catalogStore.ts';
import { createCategory, createUnit, updateCategory, updateDefaults } from '../catalog/configureCatalog.ts';
import { jsonBody } from './jsonBody.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { operationHandler } from './operation.ts';
import type { Operation } from './operations.ts';
import { operations } from './operations.ts';
import { pathId } from './pathId.ts';

type Change = (store: CatalogConfigurator, event: APIGatewayProxyEvent) => Promise<object>;

const changes: Partial<Record<Operation, Change>> = {
  createCategory: (store, event) => createCategory(store, jsonBody(event)),
  updateCategory: (store, event) => updateCategory(store, pathId(event, 'CATEGORY_NOT_FOUND'), jsonBody(event)),
  createUnit: (store, event) => createUnit(store, jsonBody(event)),
  updateDefaults: (store, event) => updateDefaults(store, jsonBody(event)),
};

/** Each operation under `…/catalog` that changes something: 200 or 201 with what was changed, as it is now. */
export function configureCatalogHandler(dependencies: OperationDependencies<CatalogConfigurator>): ProxyHandler {
  const handlers = Object.entries(changes).map(([name, change]): [string, ProxyHandler] => {
    const operation = name as Operation;
    const handler = operationHandler(operation, dependencies, async (event, { store }) => ({
      body: { data: await change(store, event) },
    }));
    return [routeOf(operations[operation].method, operations[operation].path), handler];
  });
  const byRoute = new Map(handlers);
  return async (event, context) => {
    const handler = byRoute.get(routeOf(event.httpMethod, event.resource));
    if (handler === undefined) throw new Error('The function does not serve this route');
    return handler(event, context);
  };
}

const routeOf = (method: string, path: string): string => `${method} ${path}`;
