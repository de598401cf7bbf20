import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../lib/catalog/requestContext.ts';
import { IdLease } from '../../../../lib/store/catalog/idLease.ts';
import { resolved } from '../../../support/standIns/resolved.ts';
import { beginning, type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';
import { testCall } from '../../../support/table/testTable.ts';

const lease = (last: unknown): Reply => ({ Attributes: { last: last } });
const call = (account = 'acme') => ({ ...testCall(account), deadline: beginning + 8_000 });

/** A container, with a database that answers as given. */
function container(replies: readonly Reply[]) {
  const { database, sent } = scripted(replies);
  const lease = new IdLease();
  const ids = {
    next: (context: RequestContext) => lease.next(database.for(context)),
    prepare: (context: RequestContext, count?: number) => lease.prepare(database.for(context), count),
  };
  return { ids, sent };
}

async function take(count: number, replies: readonly Reply[], account?: string) {
  const { ids, sent } = container(replies);
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) taken.push(await ids.next(call(account)));
  return { taken, sent };
}

describe('ids', () => {
  it('are leased ten at a time, and all of a lease are used', async () => {
    const { taken, sent } = await take(21, [lease(10), lease(40), lease(50)]);
    expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]);
    expect(sent.map(({ input }) => resolved(input)['UpdateExpression'])).toEqual(Array(3).fill('ADD last 10'));
  });

  it('are leased again if the response was lost', async () => {
    const { taken, sent } = await take(1, [sdkError('TimeoutError', undefined), lease(20)]);
    expect([taken, sent.length]).toEqual([[11], 2]);
  });

  it('of concurrent requests that run out come from one lease', async () => {
    const { ids, sent } = container([lease(10)]);
    const taken = await Promise.all(Array.from({ length: 10 }, () => ids.next(call())));
    expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(sent).toHaveLength(1);
  });

  it('are leased for a request even if another one that it waited for is out of time', async () => {
    const { ids } = container([lease(10)]);
    const late = { ...call(), deadline: beginning };
    expect(await Promise.allSettled([ids.next(late), ids.next(call())])).toMatchObject([
      { status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } },
      { status: 'fulfilled', value: 1 },
    ]);
  });

  it('of a batch are leased at once, unless enough are left', async () => {
    const { ids, sent } = container([lease(10), lease(60)]);
    await ids.prepare(call(), 3);
    expect([await ids.next(call()), await ids.next(call())]).toEqual([1, 2]);
    await ids.prepare(call(), 8);
    await ids.prepare(call(), 50);
    const taken = await Promise.all(Array.from({ length: 50 }, () => ids.next(call())));
    expect(taken).toEqual(Array.from({ length: 50 }, (_, index) => 11 + index));
    expect(sent.map(({ input }) => resolved(input)['UpdateExpression'])).toEqual(['ADD last 10', 'ADD last 50']);
  });

  it('are never those of another account, however many it has left', async () => {
    const { ids } = container([lease(10), lease(70), lease(80)]);
    await ids.prepare(call('a'));
    const taken: number[] = [];
    for (let index = 0; index <= 10; index += 1) taken.push(await ids.next(call('b')));
    expect(taken).toEqual([61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71]);
  });

  it.each([
    ['is used up', lease(Number.MAX_SAFE_INTEGER + 3)],
    ['is no number', lease('x')],
    ['is not there', { Attributes: {} }],
  ])('are an error if the counter %s', async (_case, reply) => {
    await expect(take(1, [reply])).rejects.toMatchObject({ issues: [{ path: ['last'] }] });
  });
});

describe('ids that are leased early', () => {
  const refused = sdkError('ConditionalCheckFailedException', 400);

  it('are leased once, and only from an existing counter', async () => {
    const { ids, sent } = container([lease(20)]);
    await Promise.all([ids.prepare(call()), ids.prepare(call())]);
    await ids.prepare(call());
    expect(await ids.next(call())).toBe(11);
    expect(sent.map(({ input }) => resolved(input)['ConditionExpression'])).toEqual(['attribute_exists(last)']);
  });

  it('are leased when needed if the account has never leased any', async () => {
    const { ids, sent } = container([refused, lease(10)]);
    const preparing = ids.prepare(call());
    expect(await ids.next(call())).toBe(1);
    await preparing;
    expect(sent.map(({ input }) => resolved(input)['ConditionExpression'])).toEqual([
      'attribute_exists(last)',
      undefined,
    ]);
  });

  it('are leased again when needed if the early lease failed', async () => {
    const { ids } = container([sdkError('ValidationException', 400), lease(10)]);
    await ids.prepare(call());
    expect(await ids.next(call())).toBe(1);
  });
});
