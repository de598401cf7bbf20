import type { Call, Catalog, Created, IdempotencyKey } from '../item/catalog.ts';
import { readCreate, unknownReferences } from '../item/commands.ts';
import { CatalogError } from '../item/errors.ts';
import type { ItemFields } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import { headerValues } from './headers.ts';
import { idempotencyKey } from './idempotency.ts';
import { jsonBody } from './middleware/jsonBody.ts';
import type { Dependencies, ProxyHandler } from './operation.ts';
import { accountFor, asProxyHandler, itemAnswer, startOperation } from './operation.ts';
import { itemPath } from './routes.ts';

/** `POST …/items` (spec 4.1): 201 with the new item, its address and its entity tag; the same again for the same key. */
export function createItemHandler(dependencies: Dependencies): ProxyHandler {
  const { catalog } = dependencies;
  const handler = startOperation('createItem', dependencies)
    .use(jsonBody())
    .handler(async (event) => {
      const key = idempotencyKey(headerValues(event, 'idempotency-key'), event.json);
      const { item, replayed } = await create(catalog, event.call, event.json, key);
      const { headers, body } = await itemAnswer(catalog, event, item);
      return { status: 201, headers: { ...headers, location: itemPath(item.id) }, body, replayed };
    });
  return asProxyHandler(handler);
}

async function create(catalog: Catalog, call: Call, json: JsonObject, key?: IdempotencyKey): Promise<Created> {
  const account = await accountFor(catalog, call, json);
  let fields: ItemFields;
  try {
    fields = readCreate(json, account);
  } catch (refusal) {
    // All that is wrong may be that the category was archived since the key's first request was answered.
    const unknown = unknownReferences(json, account).length;
    const isOutdated = unknown > 0 && refusal instanceof CatalogError && refusal.fields?.length === unknown;
    const item = key && isOutdated ? await catalog.findCreated(call, key) : undefined;
    if (item === undefined) throw refusal;
    return { item, replayed: true };
  }
  return catalog.create(call, fields, key);
}
