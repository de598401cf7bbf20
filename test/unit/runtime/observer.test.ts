import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type RefusalReason, refusalReasons } from '../../../lib/access/authorize.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { createObserver } from '../../../lib/runtime/observer.ts';

const now = Date.UTC(2026, 10, 21, 12);
const stats = { roundTrips: 2, databaseTime: 8, retries: { throttled: 0, conflict: 3, unknown: 0, moved: 1 } };
const created: Observation = {
  requestId: 'request-1',
  operation: 'createItem',
  account: 'acme',
  status: 201,
  code: undefined,
  replayed: false,
  duration: 12,
  stats,
  cause: undefined,
};
const failed: Observation = { ...created, status: 500, code: 'INTERNAL_ERROR', cause: new Error('down') };

/** The lines that observations write, as JSON. */
function lines(observations: readonly Observation[], errorsOnly = false) {
  const written: string[] = [];
  const environment = { table: 'table-1', dynamodb: 'http://127.0.0.1:8000', errorsOnly };
  const observe = createObserver(
    environment,
    (line) => written.push(line),
    () => now,
  );
  for (const observation of observations) observe(observation);
  return written.map((line) => JSON.parse(line));
}

describe('the log line of a request', () => {
  it('is one line of JSON that is its log entry and its metrics', () => {
    expect(lines([created])).toEqual([
      {
        timestamp: '2026-11-21T12:00:00.000Z',
        level: 'INFO',
        message: 'request',
        requestId: 'request-1',
        operation: 'createItem',
        account: 'acme',
        status: 201,
        replayed: false,
        table: 'table-1',
        duration: 12,
        coldStart: true,
        roundTrips: 2,
        DatabaseTime: 8,
        RetriesConflict: 3,
        RetriesMoved: 1,
        RefusedWrites: [0],
        _aws: {
          Timestamp: now,
          CloudWatchMetrics: [
            {
              Namespace: 'Catalog',
              Dimensions: [['table']],
              Metrics: [
                { Name: 'DatabaseTime', Unit: 'Milliseconds' },
                { Name: 'RetriesConflict', Unit: 'Count' },
                { Name: 'RetriesMoved', Unit: 'Count' },
                { Name: 'RefusedWrites', Unit: 'Count' },
              ],
            },
          ],
        },
      },
    ]);
  });

  it('counts whether a user of the identity provider was refused', () => {
    for (const refusedUser of [true, false]) {
      const [line] = lines([{ ...created, operation: 'authorizer', stats: undefined, refusedUser }]);
      expect(line['RefusedUsers']).toBe(Number(refusedUser));
      expect(line._aws.CloudWatchMetrics[0].Metrics).toContainEqual({ Name: 'RefusedUsers', Unit: 'Count' });
    }
  });

  it('counts tokens that cannot be read apart, and logs why a token was refused', () => {
    const counted = Object.keys(refusalReasons).filter((reason) => {
      const refusal = { reason: reason as RefusalReason, issuer: 'https://login.example.com' };
      const [line] = lines([{ ...created, operation: 'authorizer', stats: undefined, refusal }]);
      expect(line.refusal).toEqual(refusal);
      return line['UnreadableTokens'] === 1;
    });
    expect(counted).toEqual(['no signed JWT']);
  });

  it.each([
    [{ created: 48, INTERNAL_ERROR: 2 }, 2],
    // To be sent again.
    [{ SERVICE_UNAVAILABLE: 50 }, 0],
  ])('counts the rows of a batch that failed: %o', (rows, count) => {
    const [line] = lines([{ ...created, operation: 'writeItems', status: 200, rows }]);
    expect(line['FailedRows']).toBe(count);
    expect(line._aws.CloudWatchMetrics[0].Metrics).toContainEqual({ Name: 'FailedRows', Unit: 'Count' });
  });

  it.each<[string, Partial<Observation>, number[] | undefined]>([
    ['a create', {}, [0]],
    ['an update of a missing item', { operation: 'updateItem', status: 404 }, [0]],
    ['a create with invalid fields', { status: 422 }, [1]],
    ['a taken SKU', { status: 409 }, [1]],
    ['a batch that is no JSON', { operation: 'writeItems', status: 400 }, [1]],
    [
      'a batch',
      { operation: 'writeItems', rows: { created: 1, replayed: 1, VALIDATION_FAILED: 2, INTERNAL_ERROR: 1 } },
      [0, 0, 1, 1, 0],
    ],
    ['a dry run', { operation: 'writeItems', rows: { VALIDATION_FAILED: 2 }, isDryRun: true }, undefined],
    ['a refusal of the heartbeat', { status: 409, account: 'heartbeat' }, undefined],
    ['a read', { operation: 'listItems', status: 422 }, undefined],
  ])('counts which writes of callers were refused because of their content: %s', (_, parts, refused) => {
    expect(lines([{ ...created, ...parts }])[0]['RefusedWrites']).toEqual(refused);
  });

  // A metric costs as much for the heartbeat's requests alone as for those of all callers.
  it('has no metric for a refusal, or for how many requests there are', () => {
    const lineOf = (parts: Partial<Observation>) =>
      lines([{ ...created, account: 'heartbeat', stats: undefined, ...parts }])[0];
    for (const line of [
      lineOf({ operation: 'authorizer', status: 401, code: 'UNAUTHORIZED' }),
      lineOf({ status: 409, code: 'ITEM_ALREADY_EXISTS' }),
      lineOf({ operation: 'getItem', status: 200 }),
    ])
      expect(line._aws.CloudWatchMetrics[0].Metrics).toEqual([{ Name: 'DatabaseTime', Unit: 'Milliseconds' }]);
  });

  it('has the level ERROR from status 500, with the cause and the address of DynamoDB', () => {
    const cause = new Error('outer', { cause: new TypeError('inner') });
    const [line] = lines([{ ...failed, cause }]);
    expect(line).toMatchObject({
      level: 'ERROR',
      code: 'INTERNAL_ERROR',
      dynamodb: 'http://127.0.0.1:8000',
      error: {
        name: 'Error',
        stack: expect.arrayContaining([expect.stringMatching(/^at .*observer\.test\.ts/)]),
        cause: { name: 'TypeError' },
      },
    });
    expect(lines([{ ...failed, cause: 'text' }])).toMatchObject([{ error: { name: 'string' } }]);
    expect(lines([{ ...created, status: 422, code: 'VALIDATION_FAILED' }])).toMatchObject([{ level: 'INFO' }]);
  });

  it('describes an outage by its code, status and request id, without any message', () => {
    const cause = Object.assign(new Error('of S-SECRET\n    at S-SECRET (/a.ts:1:1)'), {
      code: 'ECONNREFUSED',
      $metadata: { httpStatusCode: 503, requestId: 'ABC', extendedRequestId: 'other' },
    });
    const [{ error }] = lines([{ ...failed, cause }]);
    expect({ ...error, stack: error.stack[0] }).toEqual({
      name: 'Error',
      code: 'ECONNREFUSED',
      status: 503,
      requestId: 'ABC',
      stack: expect.stringMatching(/^at .*observer\.test\.ts/),
    });
    const [line] = lines([{ ...failed, cause: Object.assign(new Error('x'), { code: 'WHAT a caller TYPED' }) }]);
    expect(line.error.code).toBeUndefined();
    const { error: unreadable } = z.object({ name: z.number() }).safeParse({ name: 'SECRET', TYPED: 1 });
    const thrown = [unreadable, 'SECRET', { toString: () => 'SECRET' }, new Error('outer', { cause: cause.message })];
    const others = lines(thrown.map((each) => ({ ...failed, cause: each })));
    expect(JSON.stringify([error, line, others])).not.toMatch(/SECRET|TYPED/);
  });

  it('has the level ERROR for a batch with a row that failed, and not for one with refused rows', () => {
    const refused = { ...created, rows: { created: 1, ITEM_ALREADY_EXISTS: 2 }, isDryRun: true };
    const withFailure = { ...created, rows: { INTERNAL_ERROR: 1 }, isDryRun: false, cause: new Error('down') };
    const [first, second] = lines([refused, withFailure]);
    expect(first).toMatchObject({ level: 'INFO', rows: refused.rows, isDryRun: true });
    expect(second).toMatchObject({ level: 'ERROR', error: { name: 'Error' } });
  });

  it('is not written for a successful request if only errors are logged', () => {
    expect(lines([created, { ...created, status: 409, code: 'ITEM_ALREADY_EXISTS' }], true)).toEqual([]);
    expect(lines([failed], true)).toHaveLength(1);
  });
});

describe('a cold start', () => {
  const coldStarts = (observations: readonly Observation[], errorsOnly: boolean) =>
    lines(observations, errorsOnly).map(({ coldStart }) => coldStart);

  it('is logged only for the first request of a container', () => {
    expect(coldStarts([created, created, failed], false)).toEqual([true, false, false]);
  });

  it('is not logged for a later request if the first was not written', () => {
    expect(coldStarts([created, failed], true)).toEqual([false]);
  });
});
