import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, inject, vi } from 'vitest';
import type { IdentitySettings } from '../../../lib/identity/identitySettings.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { Database } from '../../../lib/store/database/database.ts';
import { documentClient } from '../../../lib/store/sdk/connect.ts';
import { relaxTimeouts } from '../setup/relaxTimeouts.ts';
import { scanAll } from '../table/scanAll.ts';
import type { ApiRequest } from './apiRequests.ts';
import { contractViolations } from './contract.ts';

export interface ApiResponse {
  readonly status: number;
  /** The API's own headers, without those that HTTP adds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Headers of the connection and the clock, and the gateway's own copy of the request id. */
const transportHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'x-amzn-requestid']);

interface TestApiOptions {
  readonly identity?: IdentitySettings;
  /** Whether changes of items are recorded, which sends requests to DynamoDB that belong to no client's request. */
  readonly recordsChanges?: boolean;
}

/**
 * Starts the whole service behind its gateway, on the engine of the test run and with its own table. Requests are sent
 * by the demo editor unless they have another `authorization`. Every response is checked against the OpenAPI document.
 * The service ends with the test file.
 */
export async function startTestApi({ identity, recordsChanges = false }: TestApiOptions = {}) {
  relaxTimeouts();
  process.env[variables.dynamodb] = inject('dynamodb');
  // The library that makes templates takes a second to load, so the run has made this one for all that do not change it.
  if (identity === undefined)
    vi.doMock('../../../local/template/synthesise.ts', () => ({
      synthesise: () => ({ template: inject('template'), directory: '', remove: () => undefined }),
    }));
  vi.doMock('../../../local/engine/readStream.ts', async (load) => {
    const { readStream } = await load<typeof import('../../../local/engine/readStream.ts')>();
    const often = (...[engine, name, invoke]: Parameters<typeof readStream>) => readStream(engine, name, invoke, 100);
    return { readStream: recordsChanges ? often : () => () => undefined };
  });
  const { startService } = await import('../../../local/startService.ts');
  const options = { port: 0, table: `http-${crypto.randomUUID()}`, identity };
  const { url, table, tokens, close } = await startService(options);
  const client = documentClient(new DynamoDBClient({ endpoint: inject('dynamodb'), maxAttempts: 1 }));
  const agent = new Agent({ keepAlive: true });
  afterAll(async () => {
    agent.destroy();
    client.destroy();
    await close();
  });
  return {
    url,
    tokens,
    client,
    table,
    database: new Database(client, table),
    send: (request: ApiRequest) => exchange(url, agent, tokens.editor, request),
    /** All records by `<pk> <sk>`, except the id counters: a refused create may lease an id without using it. */
    records: async (): Promise<Record<string, JsonObject>> => {
      const records = await scanAll(client, table);
      const named = records.map((record) => [`${record['pk']} ${record['sk']}`, record] as const);
      return Object.fromEntries(named.filter(([key]) => !key.includes('#COUNTER ')));
    },
  };
}

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

/** Sends exactly these headers, including those that `fetch` would combine, complete or reject. */
async function exchange(url: string, agent: Agent, token: string, request: ApiRequest): Promise<ApiResponse> {
  const { method, path, body = '' } = request;
  const headers: ApiRequest['headers'] = {
    host: new URL(url).host,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...request.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
  const outgoing = httpRequest(url + path, { agent, method, headers: lines });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const received = Object.entries(response.headers).filter(([name]) => !transportHeaders.has(name));
  const own = Object.fromEntries(received.map(([name, value]) => [name, String(value)]));
  const answer = { status: response.statusCode ?? 0, headers: own, text: await text(response) };
  expect(contractViolations(request, answer), `${method} ${path} ${answer.status} keeps to the contract`).toEqual([]);
  return answer;
}
