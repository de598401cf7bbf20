import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { openDatabase } from '../../lib/runtime/composition.ts';
import { keys } from '../../lib/store/records/keys.ts';

const closers: (() => unknown)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** The database as the functions open it, before a server that answers as told; and how often that was asked. */
async function serve(answer: RequestListener) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    database: openDatabase({ table: 'table-1', dynamodb: `http://127.0.0.1:${port}` }),
    asked: () => asked,
    close: () => server.close(),
  };
}

const work = (time: number) => timedContext(Date.now() + time);
const update = { Key: {} };
const notTwice = { idempotent: false };

describe('a request to DynamoDB', () => {
  it('is aborted after a second, and then its outcome is unknown', async () => {
    const { database, asked } = await serve(() => undefined);
    const started = performance.now();
    await expect(database.update(work(8_000), update, notTwice)).rejects.toMatchObject({ name: 'UnknownOutcome' });
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(asked()).toBe(1);
  });

  it('is aborted if its response starts but does not end', async () => {
    const { database } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': 1_000 }).write('{');
    });
    await expect(database.update(work(8_000), update, notTwice)).rejects.toMatchObject({ name: 'UnknownOutcome' });
  });

  it('is aborted at the deadline of its context', async () => {
    const { database, asked } = await serve(() => undefined);
    await expect(database.get(work(200), keys.counter('acme'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(asked()).toBe(1);
  });

  it('is only ever retried by the store, never by the SDK', async () => {
    const { database, asked } = await serve((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
    });
    await expect(database.update(work(8_000), update, notTwice)).rejects.toMatchObject({ name: 'UnknownOutcome' });
    expect(asked()).toBe(1);
  });

  it('that was never sent is retried, even if it is not idempotent', async () => {
    const { database, close } = await serve(() => undefined);
    close();
    const short = work(500);
    await expect(database.update(short, update, notTwice)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(short.stats.retries.throttled).toBeGreaterThan(0);
    expect(short.stats.retries.unknown).toBe(0);
  });
});
