import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueToken } from '../../admin/accounts/tokens.ts';
import { toAuthorizerContext } from '../../lib/access/caller.ts';
import { authorizerHandler } from '../../lib/http/authorizerHandler.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { metricNames } from '../../lib/runtime/metrics.ts';
import { createObserver } from '../../lib/runtime/observer.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { Database } from '../../lib/store/database/database.ts';
import { lambdaContext, testCaller } from '../support/lambda/proxyEvent.ts';
import { createIn, createTestTable, newContainer, openTestAccount, testCall } from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';
import { anyStore, canary, canaryEvent } from './canaryRequests.ts';

const requests = 1_000;

/** Every member that a line can have, including those of its error. */
const members = [
  ...['timestamp', 'level', 'message', 'requestId', 'operation', 'account', 'status', 'code', 'replayed', 'duration'],
  ...['table', 'coldStart', 'roundTrips', 'dynamodb', 'error', 'refusal', '_aws', ...Object.values(metricNames)],
];
const errorMembers = ['name', 'code', 'status', 'requestId', 'stack', 'cause'];

/** All object keys within a value. */
const keysWithin = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) => [...(Array.isArray(value) ? [] : [key]), ...keysWithin(member)]);

/**
 * Sends the requests through handlers and stores that fail in many ways. Returns the log lines, and the sent tokens.
 */
async function runRequests() {
  const random = new Random(1);
  const table = await createTestTable();
  const account = await openTestAccount(table);
  const caller = testCaller(account, { user: canary });
  const { id } = await createIn(newContainer(table), testCall(account), {
    name: canary,
    metadata: { [canary]: canary },
  });
  const { token } = await issueToken(table.database.for(testCall(account)), caller, Date.now());
  const lines: string[] = [];
  const tokens: string[] = [];
  let now = Date.now();
  const sleep = async (wait: number) => {
    now += Math.ceil(wait);
  };
  const world = { now: () => now, random: random.next, sleep };
  for (let request = 0; request < requests; request += 1) {
    const database = new Database(anyStore(random, table.client), table.table, world);
    const write = (line: string) => lines.push(line);
    const environment = { table: table.table, dynamodb: 'engine', errorsOnly: false };
    const observe = createObserver(environment, write, world.now);
    const common = { now: world.now, observe };
    const dependencies = {
      ...common,
      openStore: dynamoItemWriter(database),
      newWriteId: () => `call-${request}`,
      corsOrigins: [],
    };
    const authorizer = toAuthorizerContext({ ...caller, expiresAt: now / 1000 + 60 });
    const event = canaryEvent(random, { token, id, authorizer });
    tokens.push(event.headers['authorization']?.split(' ')[1] ?? '');
    await random.pick([
      () => createItemHandler(dependencies)(event as unknown as APIGatewayProxyEvent, lambdaContext()),
      () => updateItemHandler(dependencies)(event as unknown as APIGatewayProxyEvent, lambdaContext()),
      () =>
        authorizerHandler({ ...common, tokens: { find: (work, text) => findToken(database.for(work), text) } })(
          event as unknown as APIGatewayRequestAuthorizerEvent,
          lambdaContext(),
        ).catch(() => undefined),
    ])();
  }
  return { lines, tokens };
}

describe(`the log of ${requests} hostile requests`, () => {
  let run: Awaited<ReturnType<typeof runRequests>>;
  beforeAll(async () => {
    run = await runRequests();
  }, 60_000);

  it('is one line each, for all kinds of responses', () => {
    expect(run.lines).toHaveLength(requests);
    const answers = new Set(run.lines.map((line) => `${JSON.parse(line).operation} ${JSON.parse(line).status}`));
    const expected = {
      createItem: [201, 400, 401, 409, 415, 422, 500, 503],
      updateItem: [200, 400, 401, 404, 409, 412, 415, 422, 500, 503],
      authorizer: [200, 401, 500],
    };
    for (const [operation, statuses] of Object.entries(expected))
      for (const status of statuses) expect(answers).toContain(`${operation} ${status}`);
  });

  it('contains nothing that a caller sent', () => {
    const isLeak = (text: string) =>
      text.toLowerCase().includes(canary) || run.tokens.some((token) => text.includes(token));
    const leaks = run.lines.flatMap((line) =>
      Object.entries(JSON.parse(line))
        .filter((member) => isLeak(JSON.stringify(member)))
        .map((member) => JSON.stringify(member).slice(0, 100)),
    );
    expect([...new Set(leaks)]).toEqual([]);
  });

  it('has only known members', () => {
    for (const line of run.lines) {
      const { error, ...others } = JSON.parse(line);
      expect(members).toEqual(expect.arrayContaining(Object.keys(others)));
      expect(errorMembers).toEqual(expect.arrayContaining(keysWithin(error)));
    }
  });
});
