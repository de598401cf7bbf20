import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ItemCreator } from '../catalog/catalogStore.ts';
import { createItem } from '../catalog/createItem.ts';
import { jsonBody } from './jsonBody.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { itemPath, operations } from './operations.ts';
import { itemAnswer } from './presenter.ts';
import { idempotencyKey } from './requestParts.ts';

/** `POST …/items` (spec 4.1): 201 with the new item, its `Location` and `ETag`; the same again for the same key. */
export const createItemHandler = (dependencies: OperationDependencies<ItemCreator>): ProxyHandler =>
  operation('createItem', dependencies)
    .use(jsonBody())
    .use(idempotencyKey())
    .handler(async (event, { caller, store, body, key }) => {
      const created = await createItem(store, body, key);
      const answer = itemAnswer(created, caller);
      const location = basePath(event) + itemPath(created.item.id);
      return { ...answer, headers: { ...answer.headers, location }, replayed: created.replayed };
    });

/** The part of the requested path before the route: the stage's name, or a custom domain's base path. */
function basePath({ requestContext }: APIGatewayProxyEvent): string {
  const called = requestContext.path ?? '';
  // API Gateway ignores slashes after a route, and passes them on.
  return called.slice(0, Math.max(0, called.lastIndexOf(operations.createItem.path)));
}
