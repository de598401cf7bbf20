import type { ItemWriter, OpenStore } from '../../lib/catalog/catalogStore.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { PreconditionFailed } from '../../lib/catalog/updateItem.ts';
import { type RowOutcome, writeItems } from '../../lib/catalog/writeItems.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import type { Observe } from '../../lib/http/observation.ts';
import type { OperationDependencies, ProxyHandler } from '../../lib/http/operation.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { CatalogError, errors } from '../../lib/item/errors.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import type { Clock } from '../../lib/store/database/retryPolicy.ts';
import { gatewayEvent, lambdaContext, testCaller } from '../support/lambda/gatewayEvent.ts';
import type { ClientRequest, ClientResponse } from './history.ts';

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

/** Serves one request, or several of an account as the rows of a batch. */
export interface Serve {
  (request: ClientRequest): Promise<ClientResponse>;
  readonly batch: (
    requests: readonly ClientRequest[],
    key: string,
    match?: 'sku' | { readonly field: 'sku'; readonly unchanged: 'skip' },
  ) => Promise<readonly ClientResponse[]>;
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
  const batch: Serve['batch'] = async (requests, key, match) => {
    const [{ account } = { account: '' }] = requests;
    const timed = timedContext(clock.now() + timeouts.request);
    const work = { ...dependencies, context: { ...timed, account, user: 'user-1', writeId: 'none' }, hidden: [] };
    const rows = requests.map(({ body, id, ifMatch }) => ({ ...body, ...(id && { id, revision: ifMatch }) }));
    const body = JSON.parse(JSON.stringify({ rows, match }));
    const outcomes = await writeItems(work, body, key).catch((error: CatalogError) => requests.map(() => error));
    return outcomes.map((outcome) => responseOf(outcome, account));
  };
  return Object.assign(serve, { batch });
}

function responseOf(outcome: RowOutcome, account: string): ClientResponse {
  const isRefused = outcome instanceof CatalogError;
  const item = isRefused ? (outcome instanceof PreconditionFailed ? outcome.current.item : undefined) : outcome.item;
  return {
    status: isRefused ? errors[outcome.code].status : outcome.isCreated ? 201 : 200,
    code: isRefused ? outcome.code : undefined,
    data: item === undefined ? {} : { ...presentItem(item, null, testCaller(account)) },
    revision: item?.revision ?? 0,
    replayed: !isRefused && outcome.replayed,
    isUnchanged: !isRefused && 'isUnchanged' in outcome && outcome.isUnchanged === true,
  };
}

async function call(
  handler: ProxyHandler,
  { account, body, id, ifMatch, key }: ClientRequest,
  now: number,
): Promise<ClientResponse> {
  const event = gatewayEvent({
    caller: testCaller(account, { expiresAt: now / 1000 + 1_000_000 }),
    // As API Gateway passes it.
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
    isBase64Encoded: true,
    id: id === undefined ? undefined : String(id),
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
