import type { OutgoingHttpHeaders } from 'node:http';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anonymousChecks, heartbeatChecks, signedInChecks, smokeChecks } from '../../admin/smoke/checks.ts';
import { heartbeatHandler } from '../../admin/smoke/heartbeatHandler.ts';
import { type CheckResult, runChecks } from '../../admin/smoke/runChecks.ts';
import { publicApi } from '../../admin/smoke/smokeApi.ts';
import { functionNames } from '../../infra/constructs/functionAccess.ts';
import { errors } from '../../lib/item/errors.ts';
import { readEnvironment } from '../../lib/runtime/environment.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { answering } from '../support/standIns/answering.ts';

/** The function that lacks its environment variables. */
let unconfigured = '';

vi.mock('../../local/functions/invoke.ts', async (load) => {
  const original = await load<typeof import('../../local/functions/invoke.ts')>();
  const withoutVariables = original.invokeInProcess({ get: () => () => readEnvironment({}) } as never);
  const invokeInProcess: typeof original.invokeInProcess = (handlers) => {
    const invoke = original.invokeInProcess(handlers);
    return (definition, event) => (definition.id === unconfigured ? withoutVariables : invoke)(definition, event);
  };
  return { ...original, invokeInProcess };
});

/** What fails at an API that answers every request in one way. */
async function failuresAt(
  status: number,
  body: string | undefined,
  checks: ReturnType<typeof anonymousChecks>,
  headers: OutgoingHttpHeaders = { 'x-request-id': '1' },
) {
  const url = await answering((_, response) => response.writeHead(status, headers).end(body));
  const results = await runChecks(publicApi(`${url}/`), checks);
  return results.map(({ failure }) => failure);
}

const api = await startTestApi({ recordsChanges: true });

describe('the smoke test', () => {
  afterEach(() => {
    unconfigured = '';
    vi.restoreAllMocks();
  });

  const run = async (token?: string) => {
    const results = await runChecks(publicApi(api.url), smokeChecks(token));
    return { ran: results.length, failures: results.flatMap(({ failure }) => failure ?? []) };
  };
  const silenceLogs = () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  };

  it('leaves behind one inactive item, however often it runs, and nothing without a token', async () => {
    const before = await api.records();
    await run();
    expect(await api.records()).toEqual(before);
    const token = api.tokens.otherAccount;
    for (let count = 0; count < 2; count += 1) expect((await run(token)).failures).toEqual([]);
    const added = Object.entries(await api.records()).filter(([key]) => !(key in before));
    const items = added.filter(([key]) => key.includes('#ITEMS '));
    expect(items.map(([, { name, active, revision }]) => [name, active, revision])).toEqual([['Smoke test', false, 5]]);
    expect(added.length).toBe(2);
  });

  it.each([
    ['only the authorizer without a token', undefined, ['authorizer']],
    ['every function with a token', 'editor', [...functionNames, 'recordChanges']],
  ] as const)('is run by the heartbeat, which calls %s', async (_, of, called) => {
    const observed: CheckResult[] = [];
    const token = async () => of && { token: api.tokens[of], expiresAt: Date.now() };
    const beat = () =>
      heartbeatHandler({
        url: api.url,
        origin: '*',
        token,
        needsToken: false,
        observe: (results) => observed.push(...results),
      })();
    // The first one makes the changes that the next one finds.
    for (
      let times = 0;
      times === 0 || observed.some(({ failure }) => failure?.startsWith('recordChanges'));
      times += 1
    ) {
      observed.length = 0;
      await beat();
    }
    expect(observed.flatMap(({ failure }) => failure ?? [])).toEqual([]);
    // Without a token, the gateway answers itself.
    const functions = observed.filter(({ name }) => !/^A |without a token$/.test(name));
    expect(new Set(functions.map(({ name }) => name.split(' ')[0]))).toEqual(new Set(called));
  });

  it('fails in the heartbeat if it lacks the token that it should have, or its changes are not recorded', async () => {
    const failures = async (token: string | undefined) => {
      const observed: CheckResult[] = [];
      const observe = (results: readonly CheckResult[]) => void observed.push(...results);
      const given = token === undefined ? undefined : { token, expiresAt: Date.now() };
      await heartbeatHandler({ url: api.url, origin: '*', token: async () => given, needsToken: true, observe })();
      return observed.flatMap(({ failure }) => failure ?? []);
    };
    expect(await failures(undefined)).toEqual(['The heartbeat has no token: npm run admin -- heartbeat gives it one.']);
    const token = api.tokens.editor;
    await vi.waitUntil(async () => (await failures(token)).length === 0, { timeout: 60_000 });
    silenceLogs();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6 * 60_000);
    const read = vi.spyOn(DynamoDBStreamsClient.prototype, 'send').mockRejectedValue(new Error('disabled'));
    expect(await failures(token)).toEqual([
      expect.stringMatching(/^recordChanges has recorded nothing of the item since 2/),
    ]);
    read.mockRestore();
  });

  it('passes when several runs begin at once', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => run(api.tokens.editor)));
    expect(runs.flatMap(({ failures }) => failures)).toEqual([]);
  });

  it.each([
    ['createItem', '201 or 409', 6],
    ['updateItem', '200', 0],
    ['authorizer', '401', 11],
  ])('names %s if that lacks its variable, with the request id, and skips what follows', async (id, due, skipped) => {
    silenceLogs();
    unconfigured = id;
    const token = api.tokens.editor;
    const { ran, failures } = await run(token);
    expect(failures[0]).toMatch(
      new RegExp(`^${id}( with an unknown token)? got 500 \\{.*\\} instead of ${due} \\(request id [\\w-]+\\)\\.$`),
    );
    expect(failures.filter((failure) => !failure.startsWith(id))).toEqual([]);
    expect(ran).toBe(smokeChecks(token).length - skipped);
  });

  it('fails once for a caller who may not edit, or whose token is refused', async () => {
    expect((await run(api.tokens.reader)).failures).toEqual([
      expect.stringMatching(/^createItem got 403 .* instead of 201 or 409 /),
    ]);
    expect((await run('expired')).failures).toEqual([expect.stringMatching(/^getCatalog got 401 .* instead of 200 /)]);
  });
});

describe('a check', () => {
  const [preflight = [], unknownRoute = [], method = [], withoutToken = []] = anonymousChecks().map((check) => [check]);
  const create = signedInChecks('token').filter(({ name }) => name === 'createItem');
  const unauthorized = JSON.stringify({ error: { message: errors.UNAUTHORIZED.message, code: 'UNAUTHORIZED' } });

  const notAllowed = JSON.stringify({
    error: { message: errors.METHOD_NOT_ALLOWED.message, code: 'METHOD_NOT_ALLOWED' },
  });
  const packed = smokeChecks('token').slice(-2);
  const fromApp = heartbeatChecks(undefined, 'https://app.acme.test').slice(0, 1);
  const preflightHeaders = { 'x-request-id': '1', 'access-control-allow-methods': 'POST' };

  it.each<[string, Parameters<typeof failuresAt>, string[]]>([
    [
      'on an unexpected status',
      [500, '{"message":null}', unknownRoute],
      ['A request to an unknown route got 500 {"message":null} instead of 404 (request id 1).'],
    ],
    [
      "on an error that is not in the API's format",
      [401, '{"message":"Unauthorized"}', withoutToken],
      [`createItem without a token got {"message":"Unauthorized"}, not ${unauthorized} (request id 1).`],
    ],
    [
      'on a response without a request id',
      [401, unauthorized, withoutToken, {}],
      ['createItem without a token got no x-request-id.'],
    ],
    [
      'on a response that is not JSON',
      [502, '<html>', preflight, {}],
      ['A preflight request got 502 "<html>" instead of 204.'],
    ],
    [
      'if the response to an unsupported method does not list the supported ones',
      [405, notAllowed, method],
      ['A request with an unsupported method got no POST in Allow (request id 1).'],
    ],
    [
      'on a preflight that does not allow the method',
      [204, undefined, preflight],
      ['A preflight request allows no methods, not POST (request id 1).'],
    ],
    [
      'on a preflight that allows other pages than the settings',
      [204, undefined, fromApp, { ...preflightHeaders, 'access-control-allow-origin': 'https://other.test' }],
      ['A preflight request allows https://other.test pages, not those of https://app.acme.test (request id 1).'],
    ],
    [
      'on a preflight that allows no pages',
      [204, undefined, fromApp, preflightHeaders],
      ['A preflight request allows no pages, not those of https://app.acme.test (request id 1).'],
    ],
    [
      'if a body is accepted that is too large when it is unpacked, or in an unknown content coding',
      [200, '{}', packed],
      [
        'createItem with a compressed body that is too large got 200 {} instead of 413 (request id 1).',
        'createItem with a body in an unknown content coding got 200 {} instead of 415 (request id 1).',
      ],
    ],
    [
      'if nothing was recorded of the item at all',
      [200, '{"data":[]}', heartbeatChecks('token').slice(-1)],
      ['recordChanges has recorded nothing of the item since it was created (request id 1).'],
    ],
    [
      'if the response to a create names no item',
      [409, '{}', create],
      ['createItem got {}, which names no item (request id 1).'],
    ],
  ])('fails %s', async (_what, answer, failures) => {
    expect(await failuresAt(...answer)).toEqual(failures);
  });

  it('fails if a response is not compressed, or has other values than were written', async () => {
    const body = JSON.stringify({ data: { id: 1, sku: 'CATALOG-SMOKE-TEST' } });
    const checks = signedInChecks('token').filter(({ name }) => /^(getItem|updateItem|writeItems)$/.test(name));
    expect(await failuresAt(200, body, checks)).toEqual([
      'getItem is not compressed (request id 1).',
      expect.stringMatching(/^updateItem got description undefined, not "Written by /),
      'writeItems got rows with none, not 200 (request id 1).',
    ]);
  });

  it('fails with the reason if the API cannot be reached, for which it waits 30 seconds, and is the last', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => timeout.mockRestore());
    const results = await runChecks(publicApi('http://127.0.0.1:1'), anonymousChecks());
    expect(timeout.mock.calls).toEqual([[30_000]]);
    expect(results.map(({ failure }) => failure)).toEqual([
      expect.stringMatching(/^A preflight request failed: .*(ECONNREFUSED|bad port)/),
    ]);
  });

  it('is the last if it and the two before it failed, as all others would wait as long for a dead API', async () => {
    const pause = vi.fn(async () => undefined);
    const url = await answering((_, response) => response.writeHead(403).end('Forbidden'));
    const checks = smokeChecks('token');
    const results = await runChecks(publicApi(url), checks, { attempts: 4, pause });
    expect(results.map(({ name }) => name)).toEqual(checks.slice(0, 3).map(({ name }) => name));
    expect(pause).toHaveBeenCalledTimes(9);
  });

  it('is retried after a pause, up to the given number of attempts', async () => {
    const failures = [true, true, false];
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const results = await runChecks(
      publicApi('http://127.0.0.1:1'),
      [
        {
          name: 'It',
          run: async (send) => void (failures.shift() && (await send({ method: 'GET', path: '/' }))),
        },
      ],
      { attempts: 4, pause },
    );
    expect([results[0]?.failure, pauses]).toEqual([undefined, 2]);
  });
});
