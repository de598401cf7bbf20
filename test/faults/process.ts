import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { OpenStore } from '../../lib/catalog/catalogReader.ts';
import type { ItemWriter } from '../../lib/catalog/catalogStore.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import type { Observe } from '../../lib/http/observation.ts';
import type { OperationDependencies, ProxyHandler } from '../../lib/http/operation.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { writeItemsHandler } from '../../lib/http/writeItemsHandler.ts';
import type { Item } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoItemWriter.ts';
import type { DocumentSender } from '../../lib/store/database/database.ts';
import { Database } from '../../lib/store/database/database.ts';
import type { Clock } from '../../lib/store/database/retryPolicy.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';
import type { Answer, ClientRequest } from './history.ts';

/** A store that is wrong on purpose, at the boundary of the SDK or of the catalog. */
export interface Variant {
  readonly client?: (client: DocumentSender) => DocumentSender;
  readonly catalog?: (catalog: OpenStore<ItemWriter>, database: Database) => OpenStore<ItemWriter>;
}

interface ProcessOptions {
  readonly client: DocumentSender;
  readonly table: string;
  readonly clock: Clock;
  /** By default, the real store. */
  readonly variant?: Variant | undefined;
  readonly newWriteId: () => string;
  readonly observe?: Observe;
}

/** Serves one request, or several of an account as a batch. */
export interface Serve {
  (request: ClientRequest): Promise<Answer>;
  readonly batch: (requests: readonly ClientRequest[], key: string, match?: 'sku') => Promise<readonly Answer[]>;
}

/** A new process: the real handlers with the real store, with nothing cached or leased yet. */
export function startProcess({ client, table, clock, variant = {}, newWriteId, observe }: ProcessOptions): Serve {
  const database = new Database(variant.client?.(client) ?? client, table, clock);
  const catalog = dynamoItemWriter(database);
  const dependencies: OperationDependencies<ItemWriter> = {
    openStore: variant.catalog?.(catalog, database) ?? catalog,
    now: clock.now,
    newWriteId,
    observe: observe ?? (() => undefined),
    corsOrigins: ['*'],
  };
  const create = createItemHandler(dependencies);
  const update = updateItemHandler(dependencies);
  const serve = (request: ClientRequest) => call(request.id === undefined ? create : update, request, clock.now());
  return Object.assign(serve, {
    batch: (...args: Parameters<Serve['batch']>) => callBatch(dependencies, ...args),
  });
}

/** Sends requests as the rows of a batch. The answers get the items that the store has returned, which rows lack. */
async function callBatch(
  { openStore, ...others }: OperationDependencies<ItemWriter>,
  requests: readonly ClientRequest[],
  key: string,
  match?: 'sku',
): Promise<readonly Answer[]> {
  const items = new Map<string, Item>();
  const noting = async <Result extends { readonly item: Item }>(result: Promise<Result>): Promise<Result> => {
    const { item } = await result;
    items.set(`${item.id} ${item.revision}`, item);
    return result;
  };
  const handler = writeItemsHandler({
    ...others,
    openStore: (context) => {
      const store = openStore(context);
      return {
        ...store,
        insertItem: (...args) => noting(store.insertItem(...args)),
        modifyItem: (...args) => noting(store.modifyItem(...args)),
      };
    },
  });
  const caller = testCaller(requests[0]?.account ?? '', { expiresAt: others.now() / 1000 + 1_000_000 });
  const rows = requests.map(({ body, id, ifMatch }) => ({ ...body, ...(id && { id, revision: ifMatch }) }));
  const event = proxyEvent({ caller, body: { rows, match }, headers: { 'idempotency-key': key } });
  const { statusCode, body: text } = await handler(event, lambdaContext());
  const { data, error } = JSON.parse(text);
  return requests.map((_, index): Answer => {
    const { status, id, revision = 0, replayed = false, error: own } = data?.[index] ?? { status: statusCode, error };
    const item = items.get(`${id} ${revision}`);
    const shown: JsonObject = item === undefined ? {} : { ...presentItem(item, null, caller) };
    return { status, code: own?.code, data: shown, revision, replayed };
  });
}

async function call(
  handler: ProxyHandler,
  { account, body, id, ifMatch, key }: ClientRequest,
  now: number,
): Promise<Answer> {
  const event: APIGatewayProxyEvent = proxyEvent({
    caller: testCaller(account, { expiresAt: now / 1000 + 1_000_000 }),
    body,
    ...(id !== undefined && { id }),
    headers: {
      ...(ifMatch !== undefined && {
        'if-match': [ifMatch]
          .flat()
          .map((revision) => `"${revision}"`)
          .join(', '),
      }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
  });
  const { statusCode: status, headers = {}, body: text } = await handler(event, lambdaContext());
  const { data = {}, error } = JSON.parse(text) as { data?: JsonObject; error?: { code: string } };
  const revision = Number(String(headers['etag'] ?? '').replaceAll('"', ''));
  return { status, code: error?.code, data, revision, replayed: headers['idempotency-replayed'] === 'true' };
}
