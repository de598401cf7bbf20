import { describe, expect, it } from 'vitest';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import { getRecord, queryPartition } from '../../../../lib/store/database/database.ts';
import { ConditionFailed, UnknownOutcome } from '../../../../lib/store/database/failures.ts';
import { RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';
import { putRecord, transact, updateRecord } from '../../../../lib/store/database/writes.ts';
import { keys } from '../../../../lib/store/records/keys.ts';
import { beginning, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

const work = (time = 8_000) => timedContext(beginning + time);
const key = keys.counter('acme');
const lost = sdkError('TimeoutError', undefined);
const throttled = sdkError('ThrottlingException', 400);
const refused = sdkError('ConditionalCheckFailedException', 400, { Item: { pk: 'a' } });
const cancelled = (...codes: string[]) =>
  sdkError('TransactionCanceledException', 400, { CancellationReasons: codes.map((Code) => ({ Code })) });
const busy = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
const write = { Item: {} };
const update = { Key: {} };
const parts = { item: {}, guard: {} };

describe('a read', () => {
  it('is strongly consistent, and is sent again after any failure', async () => {
    const { database, sent } = scripted([lost, throttled, { Item: { a: 'x' } }]);
    expect(await getRecord(database.for(work()), key)).toEqual({ a: 'x' });
    expect(sent.map(({ name, input }) => [name, input.ConsistentRead])).toEqual(Array(3).fill(['Get', true]));
  });

  it('of a partition reads all of its pages', async () => {
    const [a, b] = [{ pk: 'a' }, { pk: 'b' }];
    const { database, sent } = scripted([
      { Items: [a], LastEvaluatedKey: a },
      { LastEvaluatedKey: b },
      lost,
      { Items: [b] },
    ]);
    expect(await queryPartition(database.for(work()), 'P')).toEqual([a, b]);
    expect(sent.map(({ input }) => [input.ConsistentRead, input.ExclusiveStartKey])).toEqual([
      [true, undefined],
      [true, a],
      [true, b],
      [true, b],
    ]);
  });
});

describe('a write', () => {
  it('whose condition fails returns the stored record, and is not sent again', async () => {
    const { database, sent } = scripted([refused]);
    const error = await putRecord(database.for(work()), write).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConditionFailed);
    expect(error).toMatchObject({
      reasons: new Map([['item', { code: 'ConditionalCheckFailed', record: { pk: 'a' } }]]),
      afterLostResponse: false,
    });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['lost', lost, true],
    ['throttled', throttled, false],
  ])('that was %s before may have caused the failed condition: %s', async (_case, failure, afterLostResponse) => {
    const { database } = scripted([failure, refused]);
    await expect(putRecord(database.for(work()), write)).rejects.toMatchObject({
      name: 'ConditionFailed',
      afterLostResponse,
    });
  });

  it('that is not idempotent is not sent again after a lost response, but after throttling', async () => {
    const { database, sent } = scripted([throttled, lost]);
    const error = await updateRecord(database.for(work()), update, { idempotent: false }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UnknownOutcome);
    expect(error).toMatchObject({ cause: lost });
    expect(sent).toHaveLength(2);
  });

  it('that failed because of a defect throws that error immediately', async () => {
    const defect = sdkError('ResourceNotFoundException', 400);
    const { database, sent } = scripted([defect]);
    await expect(putRecord(database.for(work()), write)).rejects.toBe(defect);
    expect(sent).toHaveLength(1);
  });
});

describe('a transaction', () => {
  it('has the same token for all attempts, and another one has another', async () => {
    const { database, sent } = scripted([lost, cancelled('TransactionConflict', 'None'), {}, {}]);
    await transact(database.for(work()), parts);
    await transact(database.for(work()), parts);
    const tokens = sent.map(({ input }) => input.ClientRequestToken);
    expect(new Set(tokens.slice(0, 3)).size).toBe(1);
    expect(tokens[3]).not.toBe(tokens[0]);
  });

  it('is retried while one of its parts conflicts, unless a failed condition decides the outcome', async () => {
    const both = cancelled('ConditionalCheckFailed', 'TransactionConflict');
    const patient = scripted([both, both, {}]);
    await transact(patient.database.for(work()), parts);
    expect(patient.sent).toHaveLength(3);
    const decided = scripted([both]);
    await expect(
      transact(decided.database.for(work()), parts, { isFinal: (failed) => failed.failed('item') }),
    ).rejects.toBeInstanceOf(ConditionFailed);
    const undecided = scripted([both, {}]);
    await transact(undecided.database.for(work()), parts, { isFinal: (failed) => failed.failed('guard') });
    expect(undecided.sent).toHaveLength(2);
  });
});

describe('the stats of a piece of work', () => {
  it('counts its requests, and its retries by reason', async () => {
    const { database } = scripted([lost, throttled, {}, {}]);
    const counted = work();
    await getRecord(database.for(counted), key);
    await getRecord(database.for(counted), key);
    expect(counted.stats).toEqual({
      roundTrips: 4,
      databaseTime: 0,
      retries: { unknown: 1, throttled: 1, conflict: 0, moved: 0 },
    });
  });

  it('adds up the time spent waiting for responses and failures, without the waits between attempts', async () => {
    const delayed = (milliseconds: number, reply: object | Error) => () => {
      pass(milliseconds);
      return reply;
    };
    const { database, pass, waits } = scripted([delayed(30, throttled), delayed(5, {})]);
    const timed = work();
    await getRecord(database.for(timed), key);
    expect(waits).toHaveLength(1);
    expect(timed.stats.databaseTime).toBe(35);
  });

  it.each([0, -1])('ends at its deadline: with %i ms left, nothing is sent', async (time) => {
    const { database, sent } = scripted([{}]);
    await expect(putRecord(database.for(work(time)), write)).rejects.toEqual(busy);
    expect(sent).toEqual([]);
  });

  it('gives a request at most the remaining time', async () => {
    const { database, sent } = scripted([{}, {}]);
    await putRecord(database.for(work(20)), write);
    await putRecord(database.for(work(timeouts.databaseRequest)), write);
    expect(sent.map(({ requestTimeout }) => requestTimeout)).toEqual([20, undefined]);
  });

  it('uses one budget for all, to which failed work returns nothing', async () => {
    const rounds = RetryBudget.full / 5;
    const successes = Array(10).fill({});
    const { database, sent } = scripted([
      ...Array(rounds * 6).fill(throttled),
      throttled,
      // Ten successes add one retry.
      ...successes,
      ...[throttled, throttled],
    ]);
    const read = () => getRecord(database.for(timedContext(Number.MAX_SAFE_INTEGER)), key);
    for (let round = 0; round < rounds; round += 1) await expect(read()).rejects.toEqual(busy);
    await expect(read()).rejects.toEqual(busy);
    for (const _ of successes) await read();
    await expect(read()).rejects.toEqual(busy);
    expect(sent).toHaveLength(rounds * 6 + 1 + 10 + 2);
  });
});
