import { describe, expect, it } from 'vitest';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { getRecords, queryPage } from '../../../../lib/store/database/database.ts';
import { RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';
import { keys } from '../../../../lib/store/records/keys.ts';
import { beginning, type Reply, type Sent, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

const work = (time = 8_000) => timedContext(beginning + time);
const lost = sdkError('TimeoutError', undefined);
const [a, b, c] = [keys.item('acme', 1), keys.item('acme', 2), keys.item('acme', 3)];
const batch = (records: readonly object[], left: readonly object[] = []) => ({
  ...(records.length > 0 && { Responses: { 'table-1': records } }),
  UnprocessedKeys: left.length === 0 ? {} : { 'table-1': { Keys: left } },
});
const requestedFrom = ({ input }: Sent) => input.RequestItems['table-1'];

describe('a page of a query', () => {
  const query = { IndexName: 'by_name', KeyConditionExpression: '#pk = :pk', Limit: 2 };

  it('is requested again if the response is lost, and has the start of the next page', async () => {
    const { database, sent } = scripted([lost, { Items: [{ x: 1 }], LastEvaluatedKey: a }]);
    expect(await queryPage(database.for(work()), query)).toEqual({ records: [{ x: 1 }], next: a });
    expect(sent.map(({ input }) => input)).toEqual(Array(2).fill({ ...query, TableName: 'table-1' }));
  });

  it('may have no records, and be the last', async () => {
    expect(await queryPage(scripted([{}]).database.for(work()), query)).toEqual({ records: [], next: undefined });
  });
});

describe('a read of many records', () => {
  it('takes one strongly consistent request', async () => {
    const { database, sent } = scripted([batch([{ x: 2 }, { x: 1 }])]);
    expect(await getRecords(database.for(work()), [a, b])).toEqual([{ x: 2 }, { x: 1 }]);
    expect(sent.map(requestedFrom)).toEqual([{ Keys: [a, b], ConsistentRead: true }]);
  });

  it('of no keys sends no request', async () => {
    const { database, sent } = scripted([]);
    expect(await getRecords(database.for(work()), [])).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('requests again what DynamoDB leaves out, after a pause, or everything if the response is lost', async () => {
    const { database, sent, waits } = scripted([batch([{ x: 1 }], [b, c]), lost, batch([], [b, c]), batch([{ x: 2 }])]);
    const context = work();
    expect(await getRecords(database.for(context), [a, b, c])).toEqual([{ x: 1 }, { x: 2 }]);
    expect(sent.map((one) => requestedFrom(one).Keys)).toEqual([
      [a, b, c],
      [b, c],
      [b, c],
      [b, c],
    ]);
    expect(waits).toHaveLength(3);
    expect(context.stats).toMatchObject({ roundTrips: 4, retries: { throttled: 2, unknown: 1 } });
  });

  it('takes retries for what is left out from the budget, and returns them when all is read', async () => {
    const reads = Array.from({ length: 2 * RetryBudget.full }, () => [batch([], [a]), batch([{ x: 1 }])]);
    const { database } = scripted(reads.flat());
    for (const _ of reads)
      expect(await getRecords(database.for(work(Number.MAX_SAFE_INTEGER - beginning)), [a])).toEqual([{ x: 1 }]);
  });

  it('is 503 if DynamoDB keeps leaving records out', async () => {
    const left: Reply[] = Array.from({ length: 20 }, () => batch([], [a]));
    await expect(getRecords(scripted(left).database.for(work()), [a])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});
