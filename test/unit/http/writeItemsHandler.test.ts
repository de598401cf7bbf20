import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ItemWriter } from '../../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../../lib/catalog/requestContext.ts';
import { timeouts } from '../../../lib/catalog/timeouts.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { writeItemsHandler } from '../../../lib/http/writeItemsHandler.ts';
import { alreadyExists, CatalogError } from '../../../lib/item/errors.ts';
import { arrivalTime, gatewayEvent } from '../../support/gatewayEvent.ts';
import { lambdaContext } from '../../support/proxyEvent.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem } from '../../support/sampleItem.ts';

/** Handles a batch with a store that takes a while for each create, and fails in it as it is told. */
async function handle(
  rows: readonly object[],
  fail: (name: string, context: RequestContext) => void = () => undefined,
) {
  const observed: Observation[] = [];
  const calls: Record<string, number> = { account: 0, currentAccount: 0 };
  const writeIds: string[] = [];
  let [ids, now, underWay, most] = [0, arrivalTime, 0, 0];
  const counted = (name: string) => async () => {
    calls[name] = (calls[name] ?? 0) + 1;
    return sampleAccount;
  };
  const openStore = (context: RequestContext) =>
    ({
      account: counted('account'),
      currentAccount: counted('currentAccount'),
      prepareInsert: async () => undefined,
      findByIdentifier: async () => undefined,
      insertItem: async ({ name }) => {
        writeIds.push(context.writeId);
        most = Math.max(most, ++underWay);
        await setImmediate();
        underWay -= 1;
        if (name === 'late') now = context.deadline - timeouts.batchRow + 1;
        fail(name, context);
        return { item: { ...sampleItem, revision: 1 }, replayed: false };
      },
    }) satisfies Partial<ItemWriter> as unknown as ItemWriter;
  const handler = writeItemsHandler({
    openStore,
    now: () => now,
    newWriteId: () => `write-${ids++}`,
    observe: (one) => observed.push(one),
    corsOrigins: ['*'],
  });
  const { statusCode, body } = await handler(
    gatewayEvent({ body: JSON.stringify({ rows, match: 'pn' }) }),
    lambdaContext(),
  );
  const statuses = (JSON.parse(body).data ?? []).map(({ status }: { status: number }) => status);
  return { statusCode, statuses, observation: observed[0], calls, writeIds, most };
}

const rowsWith = (name: string) => Array.from({ length: 30 }, (_, index) => ({ name: index === 4 ? name : 'Chair' }));
const times = (count: number, status: number) => Array<number>(count).fill(status);

describe('a batch', () => {
  it('writes ten rows at a time, each with a write id of its own', async () => {
    const { statuses, writeIds, most } = await handle(rowsWith('Chair'));
    expect([statuses, new Set(writeIds).size, most]).toEqual([times(30, 201), 30, 10]);
  });

  it.each<[string, Parameters<typeof handle>[1], number]>([
    [
      'was throttled',
      (name, { stats }) => {
        if (name === 'bad') stats.retries.throttled += 1;
      },
      201,
    ],
    [
      'could not be completed',
      (name) => {
        if (name === 'bad') throw new CatalogError('SERVICE_UNAVAILABLE');
      },
      503,
    ],
  ])('begins no row after one that %s', async (_what, fail, own) => {
    const { statuses, writeIds } = await handle(rowsWith('bad'), fail);
    expect(writeIds.length).toBeLessThan(20);
    expect(statuses.toSpliced(4, 1)).toEqual([...times(writeIds.length - 1, 201), ...times(30 - writeIds.length, 503)]);
    expect(statuses[4]).toBe(own);
  });

  it('begins no row that could not end in time', async () => {
    const { statuses, writeIds } = await handle(rowsWith('late'));
    expect(writeIds.length).toBeLessThan(20);
    expect(statuses).toEqual([...times(writeIds.length, 201), ...times(30 - writeIds.length, 503)]);
  });

  it('reads the account once, and once more for all rows with an unknown category', async () => {
    const { statuses, calls } = await handle([{ name: 'Chair' }, ...Array(20).fill({ name: 'Chair', category: 99 })]);
    expect(statuses).toEqual([201, ...times(20, 422)]);
    expect(calls['currentAccount']).toBe(1);
  });

  it('is one observation, with the outcomes of its rows and the cause of the first defect', async () => {
    const defect = new Error('defect');
    const rows = [{ name: 'Chair' }, { name: 'bad' }, { name: 'Chair' }, { value: -1 }];
    const fail = (name: string) => {
      if (name === 'bad') throw defect;
    };
    const { statusCode, statuses, observation } = await handle(rows, fail);
    expect([statusCode, statuses]).toEqual([200, [201, 500, 201, 422]]);
    const outcomes = { created: 2, INTERNAL_ERROR: 1, VALIDATION_FAILED: 1 };
    expect(observation).toMatchObject({ status: 200, code: undefined, rows: outcomes, cause: defect });
    expect((await handle([{ name: 'Chair' }, { value: -1 }])).observation?.cause).toBeUndefined();
  });

  it('refuses a row whose code is taken, though no item has it, as a partial restore can leave it', async () => {
    let times = 0;
    const { statuses } = await handle([{ name: 'Chair', pn: 'P' }], () => {
      times += 1;
      throw times === 1 ? alreadyExists([{ field: 'pn', item: 9 }]) : new Error('It was tried again');
    });
    expect(statuses).toEqual([409]);
  });

  it('fails as a whole if no row could be decided', async () => {
    const { statusCode, observation } = await handle([{ name: 'bad' }, { name: 'bad' }], () => {
      throw new CatalogError('SERVICE_UNAVAILABLE');
    });
    expect([statusCode, observation?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});
