import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import type { Account } from '../item/account.ts';
import type { Call, Catalog } from '../item/catalog.ts';
import { startWork } from '../item/catalog.ts';
import { unknownReferences } from '../item/commands.ts';
import type { Item } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import { etag } from './etag.ts';
import { requireCaller } from './middleware/requireCaller.ts';
import type { Answer } from './middleware/responder.ts';
import { responder } from './middleware/responder.ts';
import { presentItem } from './presenter.ts';

/** What the handlers of both operations work with. */
export interface Dependencies {
  readonly catalog: Catalog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A text that no other call gives. */
  readonly unique: () => string;
  /** Is told of defects and outages, for the log. */
  readonly report: (error: unknown, requestId: string) => void;
}

/** The beginning of both operations' middleware: what comes out is a response in the API's shape, who comes in may edit the catalog. */
export const operation = ({ report, now }: Dependencies) =>
  middy<APIGatewayProxyEvent, Answer>({ timeoutEarlyInMillis: 0 })
    .use(responder(report))
    .use(requireCaller('catalog:edit', now));

/** How long a request may take, and how long before its function would be stopped it ends, in milliseconds. */
const requestTime = 8_000;
const closingTime = 500;

/** How long a function that was just called may work, in milliseconds. */
export const timeToWork = (context: Context): number =>
  Math.min(requestTime, context.getRemainingTimeInMillis() - closingTime);

/** The request as the catalog sees it. */
export function startCall({ now, unique }: Dependencies, caller: Caller, context: Context): Call {
  return { ...startWork(now() + timeToWork(context)), account: caller.account, user: caller.user, stamp: unique() };
}

/** The account as it is needed to read a body: what seems unknown may have been added within the last minute. */
export async function accountFor(catalog: Catalog, call: Call, body: JsonObject): Promise<Account> {
  const account = await catalog.account(call);
  return unknownReferences(body, account).length > 0 ? catalog.currentAccount(call) : account;
}

/** The answer that shows an item. Its category may be newer than the account at hand, too. */
export async function itemAnswer(
  { catalog }: Dependencies,
  { call, caller }: { call: Call; caller: Caller },
  item: Item,
): Promise<{ headers: { etag: string }; body: unknown }> {
  const account = await catalog.account(call);
  const isKnown = item.category === null || account.categories.has(item.category);
  const known = isKnown ? account : await catalog.currentAccount(call);
  return { headers: { etag: etag(item.revision) }, body: { data: presentItem(item, known, caller) } };
}
