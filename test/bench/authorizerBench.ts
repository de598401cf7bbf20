import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { localEnvironment } from '../../infra/cli/localCredentials.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { authorizerHandler } from '../../lib/http/authorizerHandler.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { authorizerDependencies, openDatabase } from '../../lib/runtime/composition.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { bundleFunction } from '../support/bundleFunction.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import { lambdaContext, testCaller } from '../support/proxyEvent.ts';
import { signingKey, signToken } from '../support/signToken.ts';
import { startIssuer } from '../support/testIssuer.ts';
import { createTestTable, openTestAccount } from '../support/testTable.ts';
import type { Work } from './benchService.ts';
import { type Cost, measured, median, turn } from './cost.ts';

/** A kind of token, and the work of authorizing so many that the gateway has no answer for yet. */
interface TokenKind {
  readonly name: string;
  readonly work: (count: number) => Promise<Work[]>;
}

/** The authorizer over a table and an issuer of its own. */
async function startAuthorizer() {
  const engine = await startOwnEngine();
  const issuer = await startIssuer();
  issuer.keys = [signingKey('RS256'), signingKey('ES256'), signingKey('EdDSA')];
  const testTable = await createTestTable(engine);
  const account = await openTestAccount(testTable);
  const identity = identitySettings.parse({ issuer: issuer.url, audience: 'catalog' });
  const source = {
    [variables.table]: testTable.table,
    [variables.dynamodb]: engine.dynamodb,
    [variables.corsOrigins]: '*',
    [variables.identity]: JSON.stringify(identity),
    [variables.logLevel]: 'ERROR',
  };
  const handler = authorizerHandler(authorizerDependencies(source));
  const database = openDatabase({ table: testTable.table, dynamodb: engine.dynamodb });
  const authorize = (token: string): Work => {
    const authorizationToken = `Bearer ${token}`;
    const event: APIGatewayTokenAuthorizerEvent = { type: 'TOKEN', methodArn: 'arn:a/live/POST/x', authorizationToken };
    return () => handler(event, lambdaContext());
  };
  const ours: TokenKind = {
    name: 'ours',
    work: async (count) => {
      const context = timedContext(Date.now() + 60_000);
      const issued = Array.from({ length: count }, () =>
        issueToken(database, context, testCaller(account), Date.now()),
      );
      return (await Promise.all(issued)).map(({ token }) => authorize(token));
    },
  };
  const theirs = issuer.keys.map((key) => ({
    name: `the provider's, ${key.alg}`,
    work: async (count: number) =>
      Array.from({ length: count }, (_, index) =>
        authorize(signToken(issuer.claims({ account, jti: String(index), scope: 'catalog:edit' }), key)),
      ),
  }));
  return {
    kinds: [ours, ...theirs],
    close: async () => {
      testTable.client.destroy();
      await issuer.close();
      await engine.stop();
    },
  };
}

const loadBundle = `
  const [started, used] = [performance.now(), process.cpuUsage()];
  require('./authorizer.js');
  setImmediate(() => {
    const { user, system } = process.cpuUsage(used);
    console.log(JSON.stringify({ time: performance.now() - started, cpu: (user + system) / 1_000 }));
    process.exit();
  });`;

/** What the start of the authorizer's bundle takes, each time in a process of its own, in milliseconds. */
async function bundledAuthorizer() {
  const cwd = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  await bundleFunction('authorizer', join(cwd, 'authorizer.js'));
  const identity = identitySettings.parse({ issuer: 'http://127.0.0.1:1', audience: 'catalog' });
  const base = { ...localEnvironment, [variables.table]: 'table', [variables.corsOrigins]: '*' };
  const start = (env: Record<string, string>): Cost =>
    JSON.parse(execFileSync(process.execPath, ['-e', loadBundle], { cwd, env, encoding: 'utf8' }));
  return {
    without: () => start(base),
    with: () => start({ ...base, [variables.identity]: JSON.stringify(identity) }),
    remove: () => rmSync(cwd, { recursive: true }),
  };
}

/** Both kinds of token on a miss of the gateway's cache, one after another, and the start of the function. */
export async function authorizerCosts(rounds: number, collectGarbage: () => void) {
  const { kinds, close } = await startAuthorizer();
  const bundle = await bundledAuthorizer();
  const costs = new Map<string, Cost[]>();
  const add = (row: string, cost: Cost) => costs.set(row, [...(costs.get(row) ?? []), cost]);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      // The first round warms up.
      if (round === 1) costs.clear();
      for (const { name, work } of kinds) {
        const pieces = await work(turn);
        collectGarbage();
        const { time, cpu } = await measured(1, pieces.values());
        add(`a token, ${name}`, { time: time / turn, cpu: cpu / turn });
      }
      add('its start, without an identity provider', bundle.without());
      add('its start, with one', bundle.with());
    }
  } finally {
    bundle.remove();
    await close();
  }
  const microseconds = (all: readonly Cost[], what: keyof Cost) =>
    Math.round(median(all.map((cost) => cost[what])) * 1e3);
  return [...costs].map(([authorizer, all]) => ({
    authorizer,
    'time µs': microseconds(all, 'time'),
    'CPU µs': microseconds(all, 'cpu'),
  }));
}
