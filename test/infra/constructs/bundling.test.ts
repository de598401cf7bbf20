import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { analyzeMetafile, type Metafile } from 'esbuild';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { toAuthorizerContext } from '../../../lib/access/caller.ts';
import { createToken } from '../../../lib/access/tokenFormat.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { bundleFunction } from '../../support/lambda/bundleFunction.ts';
import { testCaller } from '../../support/lambda/gatewayEvent.ts';
import { temporaryFolder } from '../../support/programs/serviceFolder.ts';
import { configuration } from '../../support/standIns/scripted.ts';
import { openTestCatalog } from '../../support/table/testTable.ts';

/** A request to an AWS service as it arrived. */
interface SignedRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * The Signature Version 4 that a request without a query string must have, written from
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * @param authorization the request's own `Authorization`, for the scope and the names of the signed headers
 */
function signatureOf({ method, url, headers, body }: SignedRequest, authorization: string, secret: string): string {
  const [, scope = '', names = ''] = /Credential=[^/]+\/([^,]+), *SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const canonicalHeaders = names.split(';').map((name) => `${name}:${headers[name]?.trim()}\n`);
  const canonicalRequest = [method, url, '', canonicalHeaders.join(''), names, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonicalRequest)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

const folder = temporaryFolder();

/** What a function needs to start. Starting calls no AWS service. */
const env = { AWS_REGION: 'local', [variables.table]: 'table', [variables.corsOrigins]: '*' };

/** Runs a script in a separate process, without node_modules. */
const run = (script: string, more: Readonly<Record<string, string>> = {}): string =>
  execFileSync(process.execPath, ['-e', script], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
  });

/** The size of each bundle in KB of 1,000 bytes, which every start loads. */
const sizes: Readonly<Record<FunctionName, number>> = {
  createItem: 218,
  updateItem: 218,
  writeItems: 237,
  getItem: 197,
  listItems: 211,
  listChanges: 211,
  getCatalog: 197,
  configureCatalog: 210,
  authorizer: 198,
};

/** Parts of the paths of modules that no function uses. */
const unused = [
  'lru-cache',
  'middleware-endpoint-discovery',
  'credential-provider',
  'nested-clients',
  'node-http-handler',
  'core/dist-es/submodules/checksum',
  'core/dist-es/submodules/config',
  'core/dist-es/submodules/event-streams',
  'core/dist-es/submodules/retry',
  'dist-cjs',
  '/undici/',
];

describe.each(Object.entries(sizes))('the bundle of %s', (id, size) => {
  const outfile = join(folder, `${id}.js`);
  let metafile: Metafile;
  let output: Metafile['outputs'][string] | undefined;

  beforeAll(async () => {
    metafile = await bundleFunction(id, outfile);
    output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
  });

  it('is as large as agreed, within 2 %', async () => {
    expect(Math.abs((output?.bytes ?? 0) / (size * 1_000) - 1), await analyzeMetafile(metafile)).toBeLessThan(0.02);
  });

  it('contains no unused modules', () => {
    const modules = Object.entries(output?.inputs ?? {}).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [path] : [],
    );
    expect(modules).toContainEqual(expect.stringContaining('client-dynamodb'));
    expect(modules.filter((path) => unused.some((part) => path.includes(part)))).toEqual([]);
  });

  it('starts without node_modules, exports its handler and does not load undici', () => {
    const started = run(`
      const { handler } = require('./${id}.js');
      console.log(JSON.stringify([typeof handler, process.moduleLoadList.filter((name) => name.includes('undici'))]));`);
    expect(JSON.parse(started)).toEqual(['function', []]);
  });
});

/** A request that creates an item. */
const event = JSON.stringify({
  headers: { authorization: `Bearer ${createToken()}`, 'content-type': 'application/json' },
  body: '{"name":"Stühle €"}',
  methodArn: 'arn:aws:execute-api:local:1:api/live/POST/items',
  requestContext: { requestId: 'request-1', authorizer: toAuthorizerContext(testCaller('acme')) },
});

it.each(['createItem', 'authorizer'])(
  'the bundle of %s logs a failure with files and lines of the sources, without --enable-source-maps',
  async (id) => {
    await bundleFunction(id, join(folder, `${id}.js`));
    // Without any time left, the store gives up before it sends anything.
    const logged = run(`
      const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 0 };
      require('./${id}.js').handler(${event}, context).catch(() => undefined);`);
    expect(JSON.parse(logged).error.stack).toContainEqual(
      expect.stringMatching(/^at \w.*lib\/store\/database\/database\.ts:\d+:\d+$/),
    );
  },
);

it('the bundle of the verification reports what it finds as a metric, without what callers typed', async () => {
  await bundleFunction('verifyTable', join(folder, 'verifyTable.js'));
  const { table, account, create } = await openTestCatalog();
  await create({ sku: 'TYPED' });
  const verify = () =>
    run("require('./verifyTable.js').handler().then(() => process.exit())", {
      [variables.table]: table.table,
      [variables.dynamodb]: inject('dynamodb'),
      [variables.accessKeyId]: 'local',
      [variables.secretAccessKey]: 'local',
    });
  expect(JSON.parse(verify())).toMatchObject({ level: 'INFO', kinds: [], VerificationFindings: 0 });
  const Key = keys.guard(account, 'sku', 'TYPED');
  await table.client.send(new DeleteCommand({ TableName: table.table, Key }));
  const logged = verify();
  expect(JSON.parse(logged)).toMatchObject({
    level: 'ERROR',
    table: table.table,
    kinds: ['guard missing'],
    VerificationFindings: 1,
    _aws: { CloudWatchMetrics: [{ Namespace: 'Catalog', Dimensions: [['table']] }] },
  });
  expect(logged).not.toContain('TYPED');
});

it('the authorizer runs code for an identity provider if there is one, and starts even if that fails', async () => {
  await bundleFunction('authorizer', join(folder, 'authorizer.js'));
  // Only that code needs this module of Node.
  const loadsHttp = `require('./authorizer.js'); setImmediate(() => {
    console.log(process.moduleLoadList.includes('NativeModule http')); process.exit() });`;
  const identity = identitySettings.parse({
    issuer: 'http://127.0.0.1:1',
    audience: 'catalog',
    claims: { permissions: 'scope' },
  });
  expect(run(loadsHttp)).toBe('false\n');
  expect(run(loadsHttp, { [variables.identity]: JSON.stringify(identity) })).toBe('true\n');
  expect(run(loadsHttp, { [variables.identity]: 'malformed' })).toBe('true\n');
});

it('the bundles sign requests as AWS documents it, which the embedded engine does not verify', async () => {
  await bundleFunction('createItem', join(folder, 'createItem.js'));
  const secret = 'a/secret+of AWS';
  // Answers the configuration, the id lease and the write alike.
  const response = {
    Items: configuration('acme').Items.map((record) => marshall(record)),
    Attributes: { last: { N: '10' } },
  };
  const output = run(
    `const arrived = [];
    const server = require('node:http').createServer((request, response) => {
      const { method, url, headers } = request;
      request.setEncoding('utf8').toArray().then(([body]) => arrived.push({ method, url, headers, body }));
      response.end(${JSON.stringify(JSON.stringify(response))});
    });
    server.listen(0, '127.0.0.1', async () => {
      process.env.${variables.dynamodb} = 'http://127.0.0.1:' + server.address().port;
      const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 10_000 };
      const { statusCode } = await require('./createItem.js').handler(${event}, context);
      console.log(JSON.stringify({ statusCode, arrived }));
      process.exit();
    });`,
    {
      [variables.accessKeyId]: 'AKIAEXAMPLE',
      [variables.secretAccessKey]: secret,
      [variables.sessionToken]: 'a/session+token=',
      [variables.logLevel]: 'ERROR',
    },
  );
  const { statusCode, arrived }: { statusCode: number; arrived: SignedRequest[] } = JSON.parse(output);
  expect({ statusCode, requests: arrived.length }).toEqual({ statusCode: 201, requests: 3 });
  for (const request of arrived) {
    const { authorization = '' } = request.headers;
    expect(authorization).toContain('Credential=AKIAEXAMPLE/');
    expect(authorization).toContain(`Signature=${signatureOf(request, authorization, secret)}`);
  }
});
