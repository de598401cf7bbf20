import { readCreate } from '../item/commands.ts';
import { jsonBody } from './middleware/jsonBody.ts';
import type { Dependencies } from './operation.ts';
import { accountFor, itemAnswer, operation, startCall } from './operation.ts';
import { itemPath } from './routes.ts';

/** `POST …/items` (spec 4.1): 201 with the new item, its address and its entity tag. */
export const createItemHandler = (dependencies: Dependencies) =>
  operation(dependencies)
    .use(jsonBody())
    .handler(async ({ caller, json }, context) => {
      const { catalog } = dependencies;
      const call = startCall(dependencies, caller, context);
      const fields = readCreate(json, await accountFor(catalog, call, json));
      const item = await catalog.create(call, fields);
      const { headers, body } = await itemAnswer(dependencies, { call, caller }, item);
      return { status: 201, headers: { ...headers, location: itemPath(item.id) }, body };
    });
