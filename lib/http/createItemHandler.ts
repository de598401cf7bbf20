import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { CatalogStore, Created, IdempotencyKey, RequestContext } from '../catalog/catalogStore.ts';
import type { Account } from '../item/account.ts';
import { CatalogError } from '../item/errors.ts';
import type { ItemFields } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import { readCreate, unknownReferences } from '../item/readBody.ts';
import { headerValues } from './headers.ts';
import { idempotencyKey } from './idempotencyKey.ts';
import { jsonBody } from './jsonBody.ts';
import type { OperationDependencies, ProxyHandler } from './operation.ts';
import { accountFor, asProxyHandler, itemResponse, startOperation } from './operation.ts';
import { itemPath, routes } from './routes.ts';

/** `POST …/items` (spec 4.1): 201 with the new item, its address and its entity tag; the same again for the same key. */
export function createItemHandler(dependencies: OperationDependencies): ProxyHandler {
  const { store } = dependencies;
  const handler = startOperation('createItem', dependencies)
    .use(jsonBody())
    .handler(async (event) => {
      const key = idempotencyKey(headerValues(event, 'idempotency-key'), event.json);
      const account = await accountFor(store, event.call, event.json);
      const { item, replayed } = await create(store, account, event, key);
      const { headers, body } = await itemResponse(store, event, account, item);
      const location = basePath(event) + itemPath(item.id);
      return { status: 201, headers: { ...headers, location }, body, replayed };
    });
  return asProxyHandler(handler);
}

/** What stands before the routes in the address that was called: the stage's name, or a domain's base path. */
function basePath({ requestContext }: APIGatewayProxyEvent): string {
  const called = requestContext.path ?? '';
  const { path } = routes.createItem;
  return called.endsWith(path) ? called.slice(0, -path.length) : '';
}

async function create(
  catalog: CatalogStore,
  account: Account,
  { call, json }: { readonly call: RequestContext; readonly json: JsonObject },
  key: IdempotencyKey | undefined,
): Promise<Created> {
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
  return catalog.insertItem(call, fields, key);
}
