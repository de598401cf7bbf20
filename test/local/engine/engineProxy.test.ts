import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, globalAgent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { startEngineProxy } from '../../../local/engine/engineProxy.ts';
import { type Engine, startEngine } from '../../../local/engine/startEngine.ts';
import { usesEmbeddedEngine } from '../../support/setup/usesEmbeddedEngine.ts';

const table = `test-${randomUUID()}`;
const page = 'https://evil.example';

/** Sends exactly these headers, as `fetch` would not. */
async function send(url: string, method: string, headers: OutgoingHttpHeaders, body = '', agent = globalAgent) {
  const outgoing = request(url, { method, headers, agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** A scan as any page can send it: the signature is invented. */
const scan = (url: string, headers: OutgoingHttpHeaders, agent?: Agent) =>
  send(
    url,
    'POST',
    {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Scan',
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
      ...headers,
    },
    JSON.stringify({ TableName: table }),
    agent,
  );

/** The request by which a browser first finds out whether the page may send the scan. */
const preflight = (url: string) =>
  send(url, 'OPTIONS', {
    origin: page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-amz-date,x-amz-target',
  });

const refusal = {
  status: 403,
  headers: expect.not.objectContaining({ 'access-control-allow-origin': expect.anything() }),
  text: expect.stringContaining('AccessDeniedException'),
};

describe.runIf(usesEmbeddedEngine)("the embedded engine's guard", () => {
  let engine: Engine;
  let guard: Awaited<ReturnType<typeof startEngineProxy>>;

  beforeAll(async () => {
    engine = await startEngine();
    guard = await startEngineProxy(engine);
    const client = new DynamoDBClient({ endpoint: engine.endpoint });
    await client.send(
      new CreateTableCommand({
        TableName: table,
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
  });

  afterAll(async () => {
    await guard.close();
    await engine.stop();
  });

  it('is needed, because the engine lets any web page scan a table', async () => {
    expect(await preflight(engine.endpoint)).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    });
    expect(await scan(engine.endpoint, { origin: page, host: 'evil.example' })).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
    });
  });

  it.each<[string, OutgoingHttpHeaders]>([
    ['of a page on this machine', { origin: 'http://localhost:5173' }],
    ['from a browser for a page that cannot read the response', { 'sec-fetch-site': 'cross-site' }],
    ['with a name that leads to this machine', { host: 'evil.example' }],
    ['with such a name and a port', { host: 'evil.example:8000' }],
    ['with a name that begins like an address', { host: '127.0.0.1.evil.example' }],
    ['with a name that begins like ours', { host: 'localhost.evil.example' }],
  ])('rejects a request %s', async (_, headers) => {
    expect(await scan(guard.url, headers)).toEqual(refusal);
  });

  it('rejects preflight requests from a page', async () => {
    expect(await preflight(guard.url)).toEqual(refusal);
  });

  it('checks every request on a connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await scan(guard.url, {}, agent)).toMatchObject({ status: 200 });
    expect(await scan(guard.url, { origin: page }, agent)).toEqual(refusal);
    agent.destroy();
  });

  it.each(['localhost', 'LOCALHOST:8000', '127.0.0.1', '172.17.0.1:8000', '[::1]:8000', 'host.docker.internal:8000'])(
    'forwards a request to the host %s',
    async (host) => {
      expect(await scan(guard.url, { host })).toMatchObject({
        status: 200,
        text: expect.stringContaining('"Count":0'),
      });
    },
  );

  it('forwards SDK requests and responses of any size', async () => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: guard.url }));
    const items = Array.from({ length: 10 }, (_, index) => ({ pk: `${index}`, text: 'ü'.repeat(190_000) }));
    await Promise.all(items.map((Item) => client.send(new PutCommand({ TableName: table, Item }))));
    const stored = items.map(
      async ({ pk }) => (await client.send(new GetCommand({ TableName: table, Key: { pk } }))).Item,
    );
    expect(await Promise.all(stored)).toEqual(items);
    await expect(client.send(new GetCommand({ TableName: 'missing', Key: { pk: '1' } }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });

  it('closes the connection if the engine does not respond', async () => {
    const lonely = await startEngineProxy({ endpoint: 'http://127.0.0.1:1', isEmbedded: true });
    await expect(scan(lonely.url, {})).rejects.toThrow('socket hang up');
    await lonely.close();
  });

  // Linux has more than one loopback address, and another one stands for that of the containers' network.
  it.runIf(process.platform === 'linux')('also listens on the address by which containers reach it', async () => {
    const proxy = await startEngineProxy(engine, '127.0.0.2');
    const url = proxy.url.replace('127.0.0.1', '127.0.0.2');
    expect(await scan(url, { host: 'host.docker.internal:8000' })).toMatchObject({ status: 200 });
    expect(await scan(url, { origin: page })).toEqual(refusal);
    await proxy.close();
    await expect(fetch(url)).rejects.toThrow();
  });
});

test('an engine that is already running gets no guard', async () => {
  const endpoint = 'http://10.0.0.1:8000';
  expect(await startEngineProxy({ endpoint, isEmbedded: false })).toMatchObject({ url: endpoint });
});
