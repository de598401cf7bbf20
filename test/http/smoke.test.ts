import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { errors } from '../../lib/item/errors.ts';
import { anonymousChecks, editorChecks } from '../../lib/smoke/checks.ts';
import { runChecks } from '../../lib/smoke/runChecks.ts';
import { SmokeApi } from '../../lib/smoke/smokeApi.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

const now = Date.now;

/** What fails at an API that answers every request in one way. */
async function failuresAt(
  respond: (response: ServerResponse) => void,
  checks = anonymousChecks,
): Promise<(string | undefined)[]> {
  const server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const results = await runChecks(new SmokeApi(`http://127.0.0.1:${port}/`), checks, { now });
  return results.map(({ failure }) => failure);
}

const unauthorized = JSON.stringify({ error: { message: errors.UNAUTHORIZED.message, code: 'UNAUTHORIZED' } });

describe('the smoke test', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it('passes for the service, with and without a token', async () => {
    const checks = [...anonymousChecks, ...editorChecks(api.tokens.editor)];
    const results = await runChecks(new SmokeApi(api.url), checks, { now });
    expect(results.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(results.length).toBe(checks.length);
  });

  it('leaves behind one inactive item, and nothing without a token', async () => {
    const before = await api.records();
    await runChecks(new SmokeApi(api.url), anonymousChecks, { now });
    expect(await api.records()).toEqual(before);
    await runChecks(new SmokeApi(api.url), editorChecks(api.tokens.editor), { now });
    const added = Object.entries(await api.records()).filter(([key]) => !(key in before));
    expect(added.map(([, { name, active }]) => [name, active])).toEqual([['Smoke test, inactive', false]]);
  });

  it('fails for a caller who may not edit, and shows the response', async () => {
    const [created] = await runChecks(new SmokeApi(api.url), editorChecks(api.tokens.reader), { now });
    expect(created?.failure).toMatch(/^Creating an item got 403 .* instead of 201\.$/);
  });
});

describe('a check', () => {
  it('fails on an unexpected status', async () => {
    const [, withoutToken] = await failuresAt((response) => response.writeHead(500).end('{"message":null}'));
    expect(withoutToken).toBe('A request without a token got 500 {"message":null} instead of 401.');
  });

  it("fails on an error that is not in the API's format", async () => {
    const [, withoutToken] = await failuresAt((response) =>
      response.writeHead(401, { 'x-request-id': '1' }).end('{"message":"Unauthorized"}'),
    );
    expect(withoutToken).toBe(`A request without a token got {"message":"Unauthorized"}, not ${unauthorized}.`);
  });

  it('fails on a response without a request id', async () => {
    const [, withoutToken] = await failuresAt((response) => response.writeHead(401).end(unauthorized));
    expect(withoutToken).toBe('A request without a token got no x-request-id.');
  });

  it('fails on a response that is not JSON', async () => {
    const [, withoutToken] = await failuresAt((response) => response.writeHead(401).end('<html>'));
    expect(withoutToken).toMatch(/^A request without a token failed: .*JSON/);
  });

  it('fails if the response to an unsupported method does not list the supported ones', async () => {
    const { message, status } = errors.METHOD_NOT_ALLOWED;
    const notAllowed = JSON.stringify({ error: { message, code: 'METHOD_NOT_ALLOWED' } });
    const failures = await failuresAt((response) =>
      response.writeHead(status, { 'x-request-id': '1' }).end(notAllowed),
    );
    expect(failures).toContain('A request with an unsupported method got no POST in Allow.');
  });

  it('fails on a preflight that does not allow the method', async () => {
    const [preflight] = await failuresAt((response) => response.writeHead(204, { 'x-request-id': '1' }).end());
    expect(preflight).toBe('A preflight request allows no methods, not POST.');
  });

  it('fails if a response is not compressed, or the one to HEAD lacks a header of GET', async () => {
    const description = 'Created by the smoke test. '.repeat(100);
    const data = { id: 0, name: 'Smoke test', value: 1.25, description, active: true };
    const failures = await failuresAt(
      (response) => response.writeHead(200, { 'x-request-id': '1' }).end(JSON.stringify({ data })),
      editorChecks('token'),
    );
    expect(failures.slice(1, 3)).toEqual(['Reading it is not compressed.', 'Reading only its headers got no etag.']);
  });

  it('fails with the reason if the API cannot be reached', async () => {
    const [result] = await runChecks(new SmokeApi('http://127.0.0.1:1'), anonymousChecks, { now });
    expect(result?.failure).toMatch(/^A preflight request failed: .*(ECONNREFUSED|bad port)/);
  });

  it('is retried after a pause, up to the given number of attempts', async () => {
    const failures = [true, true, false];
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const results = await runChecks(
      new SmokeApi('http://127.0.0.1:1'),
      [
        {
          name: 'It',
          run: async (broken) => void (failures.shift() && (await broken.send({ method: 'GET', path: '/' }))),
        },
      ],
      { now, attempts: 4, pause },
    );
    expect([results[0]?.failure, pauses]).toEqual([undefined, 2]);
  });
});
