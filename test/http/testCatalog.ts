import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { startService } from '../../infra/local/startService.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { Database } from '../../lib/store/database/database.ts';
import { documentClient } from '../../lib/store/database/documentClient.ts';
import { scanAll } from '../support/scanAll.ts';
import type { ApiRequest } from './requests.ts';

export interface ApiResponse {
  readonly status: number;
  /** Those of the API, without what HTTP itself adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body's bytes as text. */
  readonly text: string;
}

/** Headers of the connection and the clock, and the gateway's own copy of the request id. */
const transportHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'x-amzn-requestid']);

/** The whole service behind its gateway, on the run's engine and a table of its own; requests are the demo editor's unless they say otherwise. */
export async function startTestCatalog() {
  process.env[variables.dynamodb] = inject('dynamodb');
  const { url, table, tokens, close } = await startService({ port: 0, table: `http-${crypto.randomUUID()}` });
  const client = documentClient(new DynamoDBClient({ endpoint: inject('dynamodb'), maxAttempts: 1 }));
  const agent = new Agent({ keepAlive: true });
  return {
    url,
    tokens,
    client,
    database: new Database(client, table),
    send: (request: ApiRequest) => exchange(url, agent, tokens.editor, request),
    /** All records by their keys, without the counters: ids that were leased for a refused create are no trace of it. */
    stored: async (): Promise<Record<string, JsonObject>> => {
      const records = await scanAll(client, table);
      const named = records.map((record) => [`${record['pk']} ${record['sk']}`, record] as const);
      return Object.fromEntries(named.filter(([key]) => !key.includes('#COUNTER ')));
    },
    close: async () => {
      agent.destroy();
      client.destroy();
      await close();
    },
  };
}

export type TestCatalog = Awaited<ReturnType<typeof startTestCatalog>>;

/** Sends exactly these headers, also where `fetch` would join, complete or refuse them. */
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
  const sending = httpRequest(url + path, { agent, method, headers: lines });
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const received = Object.entries(response.headers).filter(([name]) => !transportHeaders.has(name));
  const shown = Object.fromEntries(received.map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode ?? 0, headers: shown, text: await text(response) };
}
