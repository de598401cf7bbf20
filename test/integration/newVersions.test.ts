import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { InvokeVersion, VersionName, Versions } from '../../admin/smoke/newVersions.ts';
import {
  type HookEvent,
  newVersionsDependencies,
  newVersionsHandler,
  type RollbackEvent,
  type VersionsResult,
} from '../../admin/smoke/newVersionsHandler.ts';
import { functionNames } from '../../infra/constructs/functionAccess.ts';
import { toAuthorizerContext } from '../../lib/access/caller.ts';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { forward } from '../../local/engine/engineProxy.ts';
import { startIssuer } from '../support/api/testIssuer.ts';
import { bundleFunction } from '../support/lambda/bundleFunction.ts';
import { testCaller } from '../support/lambda/gatewayEvent.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';
import { answering } from '../support/standIns/answering.ts';
import { createTables } from '../support/table/changeStream.ts';
import { openTestAccount } from '../support/table/testTable.ts';

const folder = temporaryFolder();
const token = createToken();

for (const name of [...functionNames, 'recordChanges']) await bundleFunction(name, join(folder, `${name}.js`));
const { table } = await createTables();
const caller = testCaller(await openTestAccount(table, 'heartbeat'), { permissions: ['catalog:edit'] });
await table.client.send(new PutCommand({ TableName: table.table, Item: newTokenRecord(token, caller) }));
const environment = {
  AWS_REGION: 'local',
  [variables.table]: table.table,
  [variables.corsOrigins]: '*',
  [variables.dynamodb]: inject('dynamodb'),
  [variables.accessKeyId]: 'local',
  [variables.secretAccessKey]: 'local',
  [variables.logLevel]: 'ERROR',
  [variables.changeDays]: '7',
};

/** What differs between a good version of a function and a bad one. */
interface Version {
  /** Its code, instead of its bundle. */
  readonly code?: string;
  /** Its environment, besides that of all. */
  readonly env?: Readonly<Record<string, string>>;
}

const threads = new Map<string, Worker>();
afterAll(() => Promise.all([...threads.values()].map((thread) => thread.terminate())));

function start(name: VersionName, { code, env }: Version): Worker {
  const file = join(folder, `${code === undefined ? '' : 'bad-'}${name}.js`);
  if (code !== undefined) writeFileSync(file, code);
  const context = '{ awsRequestId: "a", getRemainingTimeInMillis: () => 10_000 }';
  const script = `
    require('node:worker_threads').parentPort.on('message', ({ event, port }) =>
      (async () => require(${JSON.stringify(file)}).handler(event, ${context}))()
        .then((result) => ({ result }), ({ message }) => ({ message }))
        .then((answer) => port.postMessage(answer)));`;
  return new Worker(script, { eval: true, env: { ...environment, ...env }, stdout: true });
}

/** As in Lambda, the first call of a version loads its bundle in a thread that has loaded nothing, and others find it there. */
const starting =
  (versions: Partial<Record<VersionName, Version>>): InvokeVersion =>
  async (name, event) => {
    const version = versions[name] ?? {};
    const id = JSON.stringify([name, version]);
    const thread = threads.get(id) ?? start(name, version);
    threads.set(id, thread);
    const { port1, port2 } = new MessageChannel();
    thread.postMessage({ event, port: port2 }, [port2]);
    const [{ result, message }] = await once(port1, 'message');
    port1.close();
    if (message !== undefined) throw new Error(message);
    return result;
  };

const { delivery } = newVersionsDependencies({ [variables.versions]: '{}' });

const named = (version: string) =>
  Object.fromEntries([...functionNames, 'recordChanges'].map((name) => [name, `${name}:${version}`])) as Versions;

/**
 * What the check logs, decides and answers.
 * @param versions what differs from the sources, in version 2 of the functions
 */
async function check(
  versions: Partial<Record<VersionName, Version>>,
  read: () => Promise<string | undefined>,
  {
    event = { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'hook' },
    issuers = [],
  }: { event?: HookEvent | RollbackEvent; issuers?: string[] } = {},
) {
  const logged: VersionsResult[] = [];
  const decided: unknown[] = [];
  const answer = await newVersionsHandler({
    token: read,
    issuers,
    versions: named('2'),
    invoke: (version, request) => {
      const [name = '', number] = version.split(':');
      return starting(number === '2' ? versions : {})(name as VersionName, request);
    },
    delivery,
    decide: async ({ DeploymentId }, passed) => void decided.push([DeploymentId, passed]),
    log: (entry) => logged.push(entry),
    pause: async () => undefined,
  })(event);
  return { logged, decided, answer };
}

/** The address of an engine that refuses so many calls. */
function refusing(writes: number, which = /\.(PutItem|UpdateItem|TransactWriteItems)$/): Promise<string> {
  let left = writes;
  return answering((request, response) => {
    const target = String(request.headers['x-amz-target']);
    if (which.test(target) && left-- > 0)
      return response.writeHead(400).end(JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }));
    return forward(request, request, response, inject('dynamodb'));
  });
}

it('good versions pass, every time, and leave one item in the account', async () => {
  for (const _ of ['first', 'second'])
    expect(await check({}, async () => token)).toMatchObject({
      logged: [{ failures: [], isChecked: true }],
      decided: [['d-1', true]],
    });
  const records = await table.records();
  expect(records.filter(({ pk }) => String(pk).endsWith('#ITEMS'))).toHaveLength(1);
});

const returning = (result: object) => `exports.handler = async () => (${JSON.stringify(result)});`;

it.each<[string, () => Promise<Partial<Record<VersionName, Version>>>, RegExp]>([
  [
    'lacks a variable',
    async () => ({ listItems: { env: { [variables.table]: '' } } }),
    /^listItems failed in listItems: The environment variable CATALOG_TABLE is not set\.$/,
  ],
  [
    'may not write',
    async () => ({ updateItem: { env: { [variables.dynamodb]: await refusing(Number.POSITIVE_INFINITY) } } }),
    /^updateItem got 500 .* instead of 200 /,
  ],
  ...(
    [
      ['configureCatalog', 'TransactWriteItems', /^configureCatalog with a category that does not exist got 500 /],
      [
        'updateItem',
        'TransactWriteItems',
        /^updateItem with another SKU under a revision that the item does not have got 500 /,
      ],
      ['writeItems', 'TransactWriteItems', /^writeItems with a taken SKU, .* got 500 /],
      ['recordChanges', 'TransactWriteItems', /^recordChanges failed: /],
      ['listChanges', 'TransactGetItems', /^listChanges got 500 /],
      ['createItem', 'GetItem', /^createItem with a key and a category that does not exist got 500 /],
      ['listItems', 'GetItem', /^listItems with the sku of the item got 500 /],
    ] as const
  ).map(([name, right, failure]): [string, () => Promise<Partial<Record<VersionName, Version>>>, RegExp] => [
    `belongs to ${name} and lacks ${right}`,
    async () => {
      const dynamodb = await refusing(Number.POSITIVE_INFINITY, new RegExp(`\\.${right}$`));
      return { [name]: { env: { [variables.dynamodb]: dynamodb } } };
    },
    failure,
  ]),
  [
    'throws when it is loaded',
    async () => ({ getItem: { code: "throw new Error('broken')" } }),
    /^getItem failed in getItem: broken\.$/,
  ],
  [
    'is an authorizer that refuses everybody',
    async () => ({ authorizer: { code: "exports.handler = async () => { throw new Error('Unauthorized'); };" } }),
    /^getCatalog got 401 /,
  ],
  [
    'is an authorizer that denies everybody',
    async () => ({ authorizer: { code: returning({ policyDocument: { Statement: [{ Effect: 'Deny' }] } }) } }),
    /^authorizer with an unknown token got 403 /,
  ],
  [
    'is an authorizer that lets everybody in',
    async () => {
      const policyDocument = { Statement: [{ Effect: 'Allow' }] };
      return {
        authorizer: { code: returning({ policyDocument, context: toAuthorizerContext(testCaller('heartbeat')) }) },
      };
    },
    /^authorizer with an unknown token got 422 /,
  ],
])('a version that %s takes no traffic', async (_, versions, failure) => {
  const { logged, decided } = await check(await versions(), async () => token);
  expect(logged).toEqual([{ failures: expect.arrayContaining([expect.stringMatching(failure)]), isChecked: true }]);
  expect(decided).toEqual([['d-1', false]]);
});

it('an authorizer passes if it can fetch the identity provider’s keys, and else takes no traffic', async () => {
  const provider = await startIssuer();
  onTestFinished(() => provider.close());
  const identity = (issuer: string) =>
    identitySettings.parse({ issuer, audience: 'catalog', claims: { permissions: 'scope' } });
  const decidedFor = async (...issuers: string[]) => {
    const authorizer = { env: { [variables.identity]: JSON.stringify(issuers.map(identity)) } };
    const { logged, decided } = await check({ authorizer }, async () => token, { issuers });
    return [logged[0]?.failures, decided];
  };
  expect(await decidedFor(provider.url)).toEqual([[], [['d-1', true]]]);
  const failure =
    'authorizer with a token of the identity provider failed in authorizer: The token could not be checked.';
  expect(await decidedFor(provider.url, `${provider.url}/other`)).toEqual([[failure], [['d-1', false]]]);
});

it('a version passes that is refused once, because its rights have just been granted', async () => {
  const { decided } = await check(
    { updateItem: { env: { [variables.dynamodb]: await refusing(1) } } },
    async () => token,
  );
  expect(decided).toEqual([['d-1', true]]);
});

it('versions pass without being called as long as the heartbeat has no token, and the log says so', async () => {
  const bad = { authorizer: { code: "throw new Error('called')" } };
  expect(await check(bad, async () => undefined)).toMatchObject({
    logged: [{ failures: [], isChecked: false }],
    decided: [['d-1', true]],
  });
});

it('CodeDeploy is notified at once if the token cannot be read', async () => {
  const { logged, decided } = await check({}, async () => Promise.reject(new Error('denied')));
  expect({ logged, decided }).toEqual({
    logged: [{ failures: ['Error: denied'], isChecked: true }],
    decided: [['d-1', false]],
  });
});

describe('a rollback', () => {
  const broken = { getItem: { code: "throw new Error('broken')" } };

  it('has the versions checked that it names instead of the new ones, and decides itself', async () => {
    expect(await check(broken, async () => token, { event: { versions: named('1') } })).toEqual({
      logged: [{ failures: [], isChecked: true }],
      decided: [],
      answer: { failures: [], isChecked: true, unknownRoutes: [] },
    });
    expect((await check(broken, async () => token, { event: { versions: named('2') } })).answer).toMatchObject({
      failures: ['getItem failed in getItem: broken.'],
    });
  });

  /** A function's sources, but for what the code does first. */
  const earlier = (name: VersionName, code: string): Version => ({
    code: `const { handler } = require(${JSON.stringify(join(folder, `${name}.js`))});
      exports.handler = async (event, context) => { ${code}; return handler(event, context); };`,
  });

  it('gets the routes that earlier versions do not serve, or served before the function had others', async () => {
    const versions = {
      configureCatalog: earlier('configureCatalog', "if (/units$/.test(event.resource)) throw new Error('not served')"),
      listChanges: earlier(
        'listChanges',
        "event = { ...event, httpMethod: 'GET', resource: '/api/v1/api/v1/changes' }",
      ),
    };
    const { answer } = await check(versions, async () => token, { event: { versions: named('2') } });
    expect(answer).toEqual({
      failures: [],
      isChecked: true,
      unknownRoutes: ['GET /api/v1/api/v1/items/{id}/changes', 'POST /api/v1/api/v1/catalog/units'],
    });
  });
});
