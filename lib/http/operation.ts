import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { CatalogStore, RequestContext } from '../catalog/catalogStore.ts';
import type { Account } from '../item/account.ts';
import type { Item } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import { unknownReferences } from '../item/readBody.ts';
import { etag } from './etag.ts';
import type { Observe } from './observation.ts';
import { presentItem } from './presenter.ts';
import { requireCaller } from './requireCaller.ts';
import type { HandlerResponse } from './responder.ts';
import { responder } from './responder.ts';
import type { Operation } from './routes.ts';
import { startCall } from './startCall.ts';

/** What the handlers of both operations work with. */
export interface OperationDependencies {
  readonly store: CatalogStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A text that no other call gives. */
  readonly newWriteId: () => string;
  /** Is told of each request, for the log and the metrics. */
  readonly observe: Observe;
  /** The origins whose pages may call the API. */
  readonly corsOrigins: readonly string[];
}

/** Common to both operations: shapes every response, requires `catalog:edit`, and starts the call. */
export const startOperation = (
  operation: Operation,
  { now, newWriteId, observe, corsOrigins }: OperationDependencies,
) =>
  middy<APIGatewayProxyEvent, HandlerResponse>({ timeoutEarlyInMillis: 0 })
    .use(responder({ operation, corsOrigins, observe, now }))
    .use(requireCaller('catalog:edit', now))
    .use(startCall(now, newWriteId));

/** A handler as API Gateway's proxy integration calls it. */
export type ProxyHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Widens the type of the event to the gateway's: `caller`, `call` and `json` are added by middleware before the handler runs. */
export const asProxyHandler = <Event extends APIGatewayProxyEvent>(
  handler: (event: Event, context: Context) => Promise<unknown>,
): ProxyHandler => handler as ProxyHandler;

/** The account as it is needed to read a body: what seems unknown may have been added within the last minute. */
export async function accountFor(catalog: CatalogStore, call: RequestContext, body: JsonObject): Promise<Account> {
  const account = await catalog.account(call);
  return unknownReferences(body, account).length > 0 ? catalog.currentAccount(call) : account;
}

/**
 * The answer that shows an item. Its category may be newer than the account at hand; that its name cannot be read must
 * not hide that the item was written.
 */
export async function itemResponse(
  catalog: CatalogStore,
  { call, caller }: { readonly call: RequestContext; readonly caller: Caller },
  account: Account,
  item: Item,
): Promise<{ headers: { etag: string }; body: unknown }> {
  const isKnown = item.category === null || account.categories.has(item.category);
  const known = isKnown ? account : await catalog.currentAccount(call).catch(() => account);
  return { headers: { etag: etag(item.revision) }, body: { data: presentItem(item, known, caller) } };
}
