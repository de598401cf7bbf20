import { readCreate } from '../item/commands.ts';
import { jsonBody } from './middleware/jsonBody.ts';
import type { Dependencies, ProxyHandler } from './operation.ts';
import { accountFor, asProxyHandler, itemAnswer, startOperation } from './operation.ts';
import { itemPath } from './routes.ts';

/** `POST …/items` (spec 4.1): 201 with the new item, its address and its entity tag. */
export function createItemHandler(dependencies: Dependencies): ProxyHandler {
  const { catalog } = dependencies;
  const handler = startOperation('createItem', dependencies)
    .use(jsonBody())
    .handler(async (event) => {
      const { call, json } = event;
      const fields = readCreate(json, await accountFor(catalog, call, json));
      const item = await catalog.create(call, fields);
      const { headers, body } = await itemAnswer(catalog, event, item);
      return { status: 201, headers: { ...headers, location: itemPath(item.id) }, body };
    });
  return asProxyHandler(handler);
}
