import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, inject, it } from 'vitest';
import { permissions } from '../../lib/access/caller.ts';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { type Operation, operations } from '../../lib/http/operations.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { forward } from '../../local/engine/engineProxy.ts';
import { type SigningKey, signingKey, signToken } from '../support/api/signToken.ts';
import { TestIssuer } from '../support/api/testIssuer.ts';
import { bundleFunction } from '../support/lambda/bundleFunction.ts';
import { gatewayEvent, testCaller } from '../support/lambda/gatewayEvent.ts';
import { startLambda } from '../support/lambda/startLambda.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';
import { answering } from '../support/standIns/answering.ts';
import { createTables, itemAt, streamRecord } from '../support/table/changeStream.ts';
import { newContainer, openTestAccount, writerOf } from '../support/table/testTable.ts';

const folder = temporaryFolder();
/** Its documents are among those of {@link startWorld}. */
const issuer = new TestIssuer();

const { table } = await createTables();
const account = await openTestAccount(table);
const caller = testCaller(account, { permissions });
const { create } = writerOf(newContainer(table), account);
const { id } = await create({ sku: 'A' });
/** Whose code changes beside the updates of the first one. */
const { id: other } = await create();
const token = createToken();
await table.client.send(new PutCommand({ TableName: table.table, Item: newTokenRecord(token, caller) }));
// The verification reads what they name, at the same time.
for (const sku of ['LOST-1', 'LOST-2']) {
  const guard = { ...keys.guard(account, 'sku', sku), item_id: id };
  await table.client.send(new PutCommand({ TableName: table.table, Item: guard }));
}

const operation = (name: Operation, parts: Parameters<typeof gatewayEvent>[0] = {}) => {
  const { method: httpMethod, path: resource } = operations[name];
  return { ...gatewayEvent({ caller, ...parts }), httpMethod, resource };
};
const body = (value: object) => JSON.stringify(value);
const authorization = (bearer: string) => ({
  ...gatewayEvent({ headers: { Authorization: `Bearer ${bearer}` } }),
  methodArn: 'arn:aws:execute-api:local:1:api/live/GET/items',
});
const streamed = () => [account, 'another'].map((of, index) => streamRecord(of, index, { after: itemAt(1, 1) }));

/** The events that a function is invoked with, of the kinds of its work. They may need the address of the world. */
const events: Readonly<Record<string, readonly ((url: string) => object)[]>> = {
  createItem: [() => operation('createItem', { body: body({ name: 'Chair', sku: randomUUID() }) })],
  updateItem: [
    () => operation('updateItem', { id: String(id), body: body({ value: 1 }) }),
    () => operation('updateItem', { id: String(other), body: body({ sku: randomUUID() }) }),
  ],
  writeItems: [
    () => operation('writeItems', { body: body({ rows: [{ name: 'Chair' }, { id, value: 2 }] }) }),
    () => operation('writeItems', { body: body({ match: 'sku', rows: [{ name: 'Desk', sku: 'B' }, { sku: 'C' }] }) }),
  ],
  getItem: [() => operation('getItem', { id: String(id) })],
  listItems: [{}, { sku: 'A' }].map((query) => () => operation('listItems', { query })),
  listChanges: [
    () => operation('listChanges', { query: { from: new Date(Date.now() - 60_000).toISOString() } }),
    () => operation('listItemChanges', { id: String(id) }),
  ],
  getCatalog: [() => operation('getCatalog')],
  configureCatalog: [
    () => operation('createCategory', { body: body({ name: 'New' }) }),
    () => operation('updateDefaults', { body: body({ tax: 0 }) }),
  ],
  authorizer: [() => authorization(token), (url) => authorization(issuer.token({ iss: url }))],
  recordChanges: [() => ({ Records: streamed() })],
  applyAccount: [() => ({ account })],
  verifyTable: [() => ({})],
  heartbeat: [() => ({})],
  checkNewVersions: [() => ({ versions: {} }), () => ({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'hook' })],
};

/**
 * Starts everything that functions call: DynamoDB, other services of AWS, the identity provider and the API itself. One
 * request fails. Those that are under way by then take so long that a function which does not wait for them has answered.
 * @param failing the one to fail, counted from 0
 */
async function startWorld(failing?: number) {
  const world = { url: '', requests: 0, hasFailed: false };
  world.url = await answering(async (request, response) => {
    const fail = world.requests++ === failing;
    const { hasFailed } = world;
    await sleep(fail ? 10 : 30);
    world.hasFailed ||= fail;
    if (!fail && world.hasFailed !== hasFailed) await sleep(500);
    const target = String(request.headers['x-amz-target'] ?? request.url);
    if (!fail && target.startsWith('DynamoDB')) return forward(request, request, response, inject('dynamodb'));
    const [status, document] = fail ? [400, { __type: 'ValidationException' }] : answerTo(target, world.url);
    return response.writeHead(status).end(JSON.stringify(document));
  });
  return world;
}

function answerTo(target: string, url: string): [number, object] {
  if (target === '/.well-known/openid-configuration') return [200, { issuer: url, jwks_uri: `${url}/keys` }];
  if (target === '/keys') return [200, { keys: issuer.keys.map(({ jwk }) => jwk) }];
  return target === 'AmazonSSM.GetParameter' ? [400, { __type: 'ParameterNotFound' }] : [200, {}];
}

/** Starts a function, in the world at an address. */
const start = (name: string, url: string) =>
  startLambda(join(folder, `${name}.js`), {
    AWS_REGION: 'local',
    AWS_ENDPOINT_URL: url,
    [variables.logLevel]: 'ERROR',
    [variables.accessKeyId]: 'local',
    [variables.secretAccessKey]: 'local',
    [variables.table]: table.table,
    [variables.dynamodb]: url,
    [variables.corsOrigins]: '*',
    [variables.changeDays]: '7',
    [variables.identity]: JSON.stringify(
      identitySettings.parse({ issuer: url, audience: 'catalog', claims: { permissions: 'scope' } }),
    ),
    [variables.url]: url,
    [variables.heartbeatToken]: '/catalog/heartbeat',
    [variables.versions]: '{}',
  });

const functions = globSync('functions/**/*.ts').map((file) => basename(file, '.ts'));
for (const name of functions) await bundleFunction(name, join(folder, `${name}.js`));

it('each function is tried', () => expect(Object.keys(events).sort()).toEqual(functions.sort()));

it.each(Object.entries(events))('%s has nothing under way if frozen, whichever request failed', async (name, kinds) => {
  /** Number of requests of the first event in a new container, which does what the second one asks. */
  const requestsOfFirst = async (event: (url: string) => object, failing?: number): Promise<number> => {
    const world = await startWorld(failing);
    const invoke = await start(name, world.url);
    const first = await invoke(event(world.url));
    const { requests } = world;
    const { error, result, left } = await invoke(event(world.url));
    expect({ failing, left: [...first.left, ...left], error }).toEqual({ failing, left: [] });
    expect(result?.statusCode ?? 200).toBeOneOf([200, 201]);
    return requests;
  };
  const tryKind = async (event: (url: string) => object) => {
    const requests = await requestsOfFirst(event);
    expect(requests).toBeGreaterThan(0);
    await Promise.all([...new Set([0, requests - 1])].map((failing) => requestsOfFirst(event, failing)));
  };
  await Promise.all(kinds.map(tryKind));
});

it('a withdrawn key of the provider is refused after an hour, however long the authorizer was frozen', async () => {
  const { url } = await startWorld();
  const invoke = await start('authorizer', url);
  const asUser = (clock: number) => {
    const exp = Math.floor((Date.now() + clock) / 1_000) + 60;
    return invoke(authorization(signToken(issuer.claims({ iss: url, exp }), withdrawn)), clock);
  };
  const [withdrawn] = issuer.keys as [SigningKey];
  expect(await asUser(0)).toMatchObject({ result: { principalId: 'ann' } });
  issuer.keys = [signingKey()];
  const hour = 60 * 60_000;
  expect(await asUser(hour - 60_000)).toMatchObject({ result: { principalId: 'ann' } });
  expect(await asUser(hour + 60_000)).toEqual({ error: 'Unauthorized', left: [] });
});
