import type { APIGatewayProxyResult } from 'aws-lambda';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { DocumentSender } from '../../lib/store/database/database.ts';
import { Database } from '../../lib/store/database/database.ts';
import { dynamoCatalogStore } from '../support/dynamoCatalogStore.ts';
import { lambdaContext, proxyEvent, testCaller } from '../support/proxyEvent.ts';
import type { Answer, ModelRequest } from './catalogModel.ts';

/** A request as it is sent. */
export interface Sent extends ModelRequest {
  /** The item to update; undefined: a create. */
  readonly id?: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface ServiceOptions {
  readonly table: string;
  readonly client: DocumentSender;
  readonly processes: number;
  /** Resolves when a wait is over. */
  readonly sleep: () => Promise<void>;
}

/** The real handlers in some processes over one table, at a time that only passes when a test sets it. */
export class Service {
  /** Milliseconds since 1970; later than today, as the engine may delete what has expired. */
  now = Date.UTC(2035, 0, 1, 12, 0, 0, 789);
  readonly #options: ServiceOptions;
  readonly #processes: ReturnType<Service['start']>[];
  #calls = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#processes = Array.from({ length: options.processes }, () => this.start());
  }

  /** Puts a process in the place of another: it has cached and leased nothing. */
  restart(place: number): void {
    this.#processes[place] = this.start();
  }

  async ask(place: number, { account, user, seesCost, body, id, headers }: Sent): Promise<Answer> {
    const permissions = seesCost ? (['catalog:edit', 'catalog:cost:read'] as const) : (['catalog:edit'] as const);
    const caller = testCaller(account, { user, permissions, expiresAt: this.now / 1000 + 60 });
    const event = proxyEvent({ caller, body, headers, ...(id !== undefined && { id }) });
    const handler = id === undefined ? 'create' : 'update';
    const response = await this.#processes[place]?.[handler](event, lambdaContext());
    return answerOf(response as APIGatewayProxyResult);
  }

  private start() {
    const { table, client, sleep } = this.#options;
    const clock = { now: () => this.now, random: () => 0.5, sleep };
    const database = new Database(client, table, clock);
    const dependencies = {
      openStore: dynamoCatalogStore(database),
      now: clock.now,
      newWriteId: () => `call-${this.#calls++}`,
      observe: () => undefined,
      corsOrigins: ['*'],
    };
    return { create: createItemHandler(dependencies), update: updateItemHandler(dependencies) };
  }
}

function answerOf({ statusCode: status, headers = {}, body }: APIGatewayProxyResult): Answer {
  const { data, error } = JSON.parse(body) as {
    data?: JsonObject;
    error?: { code: string; fields?: { field: string; item?: number }[] };
  };
  const { etag, location } = headers;
  const item = data && { data, etag: String(etag) };
  if (error !== undefined) {
    const { code, fields } = error;
    const names = fields?.map(({ field, item: owner }) => (owner === undefined ? field : `${field} of ${owner}`));
    return { status, code, ...item, ...(names && { fields: names }) };
  }
  const replayed = headers['idempotency-replayed'] === 'true';
  return { status, ...item, ...(location !== undefined && { location: String(location), replayed }) };
}
