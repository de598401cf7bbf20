import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { getRecord } from '../../lib/store/database/database.ts';
import { updateRecord } from '../../lib/store/database/writes.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';

const closers: (() => unknown)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

const open = (dynamodb: string) =>
  openDatabase({
    table: 'table-1',
    dynamodb,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

/** The database as the functions open it, with a server that answers as given, and the number of its requests. */
async function serve(answer: RequestListener) {
  let requests = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response);
  }).listen(0, '127.0.0.1');
  server.on('connection', () => {
    connections += 1;
  });
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    database: open(`http://127.0.0.1:${port}`),
    requests: () => requests,
    connections: () => connections,
    close: () => server.close(),
  };
}

/** The same with a server that answers each request with incomplete bytes, and then does what is given. */
async function serveBytes(bytes: string, then: (socket: Socket) => unknown) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(bytes, () => then(socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const json = { 'content-type': 'application/x-amz-json-1.0' };
const work = (time: number) => timedContext(Date.now() + time);
const update = { Key: {} };
const notTwice = { idempotent: false };
const unknown = expect.objectContaining({ name: 'UnknownOutcome' });

// At once, because most of them wait for a time limit.
describe.concurrent('a request to DynamoDB', () => {
  it('is aborted after a second, and then its outcome is unknown', async () => {
    const { database, requests } = await serve(() => undefined);
    const started = performance.now();
    await expect(updateRecord(database.for(work(8_000)), update, notTwice)).rejects.toEqual(unknown);
    expect(performance.now() - started).toBeGreaterThan(900);
    expect(requests()).toBe(1);
  });

  it('is signed anew after its signature has expired, even an update that must not be done twice', async () => {
    const { database, requests } = await serve((request, response) => {
      const now = new Date(Date.now() + 3_600_000);
      const signed = String(request.headers['x-amz-date']);
      const signedAt = Date.parse(signed.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
      response.setHeader('date', now.toUTCString());
      const isTimely = Math.abs(signedAt - now.getTime()) < 300_000;
      const message = `Signature expired: ${signed} is now earlier than ${now.toISOString()}`;
      const refusal = { __type: 'com.amazon.coral.service#InvalidSignatureException', message };
      response.writeHead(isTimely ? 200 : 400, json).end(JSON.stringify(isTimely ? { Attributes: {} } : refusal));
    });
    await updateRecord(database.for(work(8_000)), update, notTwice);
    expect(requests()).toBe(2);
  });

  it('is aborted if its response never ends', async () => {
    const { database } = await serve((_request, response) => {
      response.writeHead(200, json);
      const dripping = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(dripping));
    });
    await expect(updateRecord(database.for(work(8_000)), update, notTwice)).rejects.toEqual(unknown);
  });

  it('is aborted at the deadline of its context', async () => {
    const { database, requests } = await serve(() => undefined);
    await expect(getRecord(database.for(work(200)), keys.counter('acme'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(requests()).toBe(1);
  });

  it('is only ever retried by the store, never by the SDK', async () => {
    const { database, requests } = await serve((_request, response) => {
      response.writeHead(500, json).end('{}');
    });
    await expect(updateRecord(database.for(work(8_000)), update, notTwice)).rejects.toEqual(unknown);
    expect(requests()).toBe(1);
  });

  it('that was never sent is retried, even if it is not idempotent', async () => {
    const { database, close } = await serve(() => undefined);
    close();
    const short = work(500);
    await expect(updateRecord(database.for(short), update, notTwice)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(short.stats.retries.throttled).toBeGreaterThan(0);
    expect(short.stats.retries.unknown).toBe(0);
  });

  it('reuses the connection of the previous one', async () => {
    const { database, requests, connections } = await serve((_request, response) => {
      response.writeHead(200, json).end('{}');
    });
    for (let index = 0; index < 3; index += 1) await getRecord(database.for(work(8_000)), keys.counter('acme'));
    expect([requests(), connections()]).toEqual([3, 1]);
  });

  it('uses a new connection after one was aborted', async () => {
    let isHanging = true;
    const { database, connections } = await serve((_request, response) => {
      if (!isHanging) response.writeHead(200, json).end('{}');
      isHanging = false;
    });
    const twice = work(8_000);
    await getRecord(database.for(twice), keys.counter('acme'));
    expect(twice.stats.retries.unknown).toBe(1);
    expect(connections()).toBe(2);
  });

  it.each([
    ['that closes the connection', '', (socket: Socket) => socket.end()],
    ['that resets the connection', '', (socket: Socket) => socket.resetAndDestroy()],
    ['that is cut off in its head', 'HTTP/1.1 200 OK\r\ncontent-', (socket: Socket) => socket.end()],
    [
      'that is cut off in its body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"Att',
      (socket: Socket) => socket.end(),
    ],
    [
      'that is reset in its body',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"Att',
      (socket: Socket) => setImmediate(() => socket.resetAndDestroy()),
    ],
    [
      'that switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
      () => undefined,
    ],
    ['that is no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', () => undefined],
    ['that is empty', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', () => undefined],
    ['that is cut off before its body', 'HTTP/1.1 200 OK\r\n\r\n', (socket: Socket) => socket.end()],
    ['that is no JSON', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"Att', () => undefined],
  ])('has an unknown outcome after a response %s', async (_case, bytes, then) => {
    const database = await serveBytes(bytes, then);
    await expect(updateRecord(database.for(work(8_000)), update, notTwice)).rejects.toEqual(unknown);
  });

  it('is sent again if it was refused and the response is cut off, because it was not done', async () => {
    const database = await serveBytes('HTTP/1.1 400 Bad Request\r\ncontent-length: 99\r\n\r\n{"__', (socket) =>
      socket.end(),
    );
    const short = work(2_000);
    await expect(updateRecord(database.for(short), update, notTwice)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(short.stats.retries).toMatchObject({ unknown: 0 });
    expect(short.stats.retries.throttled).toBeGreaterThan(0);
  });
});

describe('a request to DynamoDB by a name', () => {
  it('is sent again if no connection opens within half a second', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockReturnValue(undefined as never);
    onTestFinished(() => lookup.mockRestore());
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const short = work(2_000);
    await expect(updateRecord(open('http://dynamodb.test').for(short), update, notTwice)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    expect(short.stats.retries.throttled).toBeGreaterThan(0);
    expect(short.stats.retries.unknown).toBe(0);
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(500);
  });

  it('goes to an IPv6 address without a DNS lookup', async () => {
    const lookup = vi.spyOn(dns, 'lookup');
    onTestFinished(() => lookup.mockRestore());
    await updateRecord(open('http://[::1]:1').for(work(100)), update, notTwice).catch(() => undefined);
    expect(lookup).not.toHaveBeenCalled();
  });
});
