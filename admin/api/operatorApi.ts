import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { CommandError } from '../../cli/print.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { createCatalogClient, RequestError, type Schemas } from '../../client/public/index.ts';
import { operatorUser, permissions, toAuthorizerContext } from '../../lib/access/caller.ts';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import { listChangesHandler } from '../../lib/changes/listChangesHandler.ts';
import { configureCatalogHandler } from '../../lib/http/configureCatalogHandler.ts';
import { getCatalogHandler } from '../../lib/http/getCatalogHandler.ts';
import { listItemsHandler } from '../../lib/http/listItemsHandler.ts';
import type { Observe } from '../../lib/http/observation.ts';
import type { ProxyHandler } from '../../lib/http/operation.ts';
import { functionServing, type OperationFunction } from '../../lib/http/operations.ts';
import { writeItemsHandler } from '../../lib/http/writeItemsHandler.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { dynamoCatalogConfigurator } from '../../lib/store/catalog/configureAccount.ts';
import { dynamoCatalogReader, dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { noAccount } from '../accounts/accounts.ts';
import type { PacedTable } from '../table/scanTable.ts';
import { apiEvent } from './apiEvent.ts';

/** In milliseconds. */
const requestTimeout = 30_000;

/** A command ends after this many failed requests in a row. */
const maxFailures = 8;

/** Its limiter spaces requests by about the units that they take, and slows down when the table is throttled. */
type ApiTable = Pick<PacedTable, 'database' | 'limiter'>;

/**
 * The API as an operator uses it: the client that frontends install, on the API's handlers in this process, as the user
 * `operator` with all permissions in one account. So commands work while the API is down, need no token, and have the
 * rights of the operator's own credentials.
 */
export function operatorApi(table: ApiTable, account: string) {
  const ended = new AbortController();
  let failures = 0;
  let cause: unknown;
  const countFailure = (failure: unknown, isFailure: boolean): void => {
    cause = failure;
    failures = isFailure ? failures + 1 : 0;
    if (failures === maxFailures) ended.abort();
  };
  const send = requestsIn(table, account, ({ stats, status, cause: seen, rows = {} }) => {
    if ((stats?.retries.throttled ?? 0) > 0) table.limiter.slowDown();
    // Of a batch, each repetition may decide some more rows.
    const isStuck = seen !== undefined && ['created', 'updated', 'replayed'].every((name) => rows[name] === undefined);
    countFailure(seen, status >= 500 || isStuck);
  });
  const api = createCatalogClient({
    baseUrl: 'https://operator.invalid',
    getAccessToken: async () => '',
    fetch: (request) =>
      send(request).catch((error: unknown) => {
        countFailure(error, true);
        throw error;
      }),
  });
  return {
    client: { ...api, service: table.database.table },
    /** Options of the client's long tasks. A request may have to wait for the rate. */
    polling: { signal: ended.signal, timeout: 24 * 3_600_000, interval: 1_000, inBackground: true },
    /**
     * @param progress is shown meanwhile
     * @throws CommandError if there is no such account, or changes are lost; the cause, if requests fail again and again
     */
    async untilEnd<Result>(work: () => Promise<Result>, progress: () => string): Promise<Result> {
      try {
        const result = await showProgress(progress, work);
        if (!ended.signal.aborted) return result;
      } catch (error) {
        const { status = 0 } = error instanceof RequestError ? error : {};
        if (status === 403) throw new CommandError(noAccount(account));
        if (status === 410) throw new CommandError(lostChanges);
        if (!ended.signal.aborted && status < 500) throw error;
      }
      throw cause;
    },
  };
}

const lostChanges = 'Changes from that time on are no longer kept, or were lost, so they cannot be undone.';

function requestsIn({ database, limiter }: ApiTable, account: string, observe: Observe) {
  const now = () => database.clock.now();
  const shared = { now, newWriteId: randomUUID, observe, corsOrigins: [] };
  const reading = { ...shared, openStore: dynamoCatalogReader(database) };
  const handlers: Partial<Record<OperationFunction, ProxyHandler>> = {
    writeItems: writeItemsHandler({ ...shared, openStore: dynamoItemWriter(database) }),
    listItems: listItemsHandler(reading),
    getCatalog: getCatalogHandler(reading),
    configureCatalog: configureCatalogHandler({ ...shared, openStore: dynamoCatalogConfigurator(database) }),
    listChanges: listChangesHandler({ ...shared, openStore: dynamoChangeReader(database) }),
  };
  return async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const { method } = request;
    const body = method === 'GET' ? undefined : await request.text();
    const expiresAt = Math.ceil(now() / 1_000) + 60 * 60;
    const caller = toAuthorizerContext({ account, user: operatorUser, permissions, expiresAt });
    const sent = { method, path: pathname + search, headers: Object.fromEntries(request.headers), body };
    const { operation, event } = apiEvent(sent, caller);
    const handler = handlers[functionServing(operation)];
    if (handler === undefined) throw new Error(`Operators do not send ${operation}`);
    const context = { awsRequestId: '', getRemainingTimeInMillis: () => requestTimeout } as Context;
    const answer = await limiter.run(expectedUnits(body), () => handler(event, context));
    return new Response(answer.body, { status: answer.statusCode, headers: answer.headers as Record<string, string> });
  };
}

/** Estimates the units that a request takes. A row of a batch counts as a keyed create, one of a dry run by its identifiers. */
function expectedUnits(body: string | undefined): number {
  if (body === undefined) return 25;
  const { rows = [], dry_run: isDryRun = false }: Partial<Schemas['Batch']> = JSON.parse(body);
  const identifiers = rows.flatMap((row) => identifierNames.filter((name) => typeof row[name] === 'string')).length;
  return isDryRun ? identifiers : 5.1 * rows.length + 2 * identifiers;
}
