import { readUpdate } from '../item/commands.ts';
import { allowedRevisions } from './etag.ts';
import { headerValues } from './headers.ts';
import { itemId } from './middleware/itemId.ts';
import { jsonBody } from './middleware/jsonBody.ts';
import type { Dependencies } from './operation.ts';
import { accountFor, itemAnswer, operation, startCall } from './operation.ts';

/** `PUT …/items/{id}` (spec 4.2): 200 with the item after the update, and its new entity tag. */
export const updateItemHandler = (dependencies: Dependencies) =>
  operation(dependencies)
    .use(itemId())
    .use(jsonBody())
    .handler(async (event, context) => {
      const { catalog } = dependencies;
      const { caller, json } = event;
      const revisions = allowedRevisions(headerValues(event, 'if-match'));
      const call = startCall(dependencies, caller, context);
      const change = readUpdate(json, await accountFor(catalog, call, json));
      const item = await catalog.update(call, event.itemId, change, revisions);
      return { status: 200, ...(await itemAnswer(dependencies, { call, caller }, item)) };
    });
