import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { operatorUser, toAuthorizerContext } from '../../lib/access/caller.ts';
import { permissions } from '../../lib/access/permissions.ts';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import { listChangesHandler } from '../../lib/changes/listChangesHandler.ts';
import { getCatalogHandler } from '../../lib/http/getCatalogHandler.ts';
import { listItemsHandler } from '../../lib/http/listItemsHandler.ts';
import type { Observe } from '../../lib/http/observation.ts';
import type { ProxyHandler } from '../../lib/http/operation.ts';
import { functionServing } from '../../lib/http/operations.ts';
import { writeItemsHandler } from '../../lib/http/writeItemsHandler.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalogReader.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoItemWriter.ts';
import type { Database } from '../../lib/store/database/database.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { apiEvent } from './apiEvent.ts';

/** How long a request may take, in milliseconds. Nothing limits it but the API's own deadlines. */
const remaining = 30_000;

/**
 * A `fetch` for the client that operators' commands share with frontends. It calls the handlers of the API in this
 * process, as the user `operator` with all permissions in one account. So it works while the API is down, needs no
 * token, and has the rights of the operator's own credentials.
 * @param limiter spaces requests by the units of {@link expectedUnits}, and is told when the table is throttled
 */
export function operatorFetch(database: Database, account: string, limiter: RateLimiter): typeof fetch {
  const now = () => database.clock.now();
  const observe: Observe = ({ stats }) => {
    if ((stats?.retries.throttled ?? 0) > 0) limiter.slowDown();
  };
  const shared = { now, newWriteId: randomUUID, observe, corsOrigins: [] };
  const reading = { ...shared, openStore: dynamoCatalogReader(database) };
  const handlers: Partial<Record<ReturnType<typeof functionServing>, ProxyHandler>> = {
    writeItems: writeItemsHandler({ ...shared, openStore: dynamoItemWriter(database) }),
    listItems: listItemsHandler(reading),
    getCatalog: getCatalogHandler(reading),
    listChanges: listChangesHandler({ ...shared, openStore: dynamoChangeReader(database) }),
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const body = method === 'GET' ? undefined : await request.text();
    const expiresAt = Math.ceil(now() / 1_000) + 60 * 60;
    const caller = toAuthorizerContext({ account, user: operatorUser, permissions, expiresAt });
    const sent = { method, path: pathname + search, headers: Object.fromEntries(request.headers), body };
    const { operation, event } = apiEvent(sent, caller);
    const handler = handlers[functionServing(operation)];
    if (handler === undefined) throw new Error(`Operators do not send ${operation}`);
    const context = { awsRequestId: '', getRemainingTimeInMillis: () => remaining } as Context;
    const answer = await limiter.run(expectedUnits(operation, body), () => handler(event, context));
    return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
  };
}

/** About what a request costs in capacity units: a row of a batch as much as a keyed create with one code. */
const expectedUnits = (operation: string, body = ''): number =>
  operation === 'writeItems' ? 7 * (JSON.parse(body) as { rows: readonly unknown[] }).rows.length : 25;
