import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ItemWriter } from '../../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../../lib/catalog/requestContext.ts';
import { timeouts } from '../../../lib/catalog/timeouts.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { writeItemsHandler } from '../../../lib/http/writeItemsHandler.ts';
import { alreadyExists, CatalogError } from '../../../lib/item/errors.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';
import { arrivalTime, gatewayEvent, lambdaContext } from '../../support/lambda/gatewayEvent.ts';

let now: number;

/**
 * Handles a batch with a store in which creates take a while, and no item has a code.
 * @param happen what happens in the create of a row with the name `bad`
 */
async function handle(rows: readonly object[], happen: (context: RequestContext) => void = () => undefined) {
  const observed: Observation[] = [];
  const writeIds: string[] = [];
  let [ids, reads, underWay, most] = [0, 0, 0, 0];
  let turn: Promise<void> | undefined;
  now = arrivalTime;
  const openStore = (context: RequestContext) =>
    ({
      account: async () => sampleAccount,
      accountWith: async () => {
        reads += 1;
        return sampleAccount;
      },
      prepareInsert: async () => undefined,
      findByIdentifier: async () => undefined,
      insertItem: async ({ name }) => {
        writeIds.push(context.writeId);
        most = Math.max(most, ++underWay);
        // Those that are under way together end together, in the order of their rows.
        turn ??= setImmediate().finally(() => {
          turn = undefined;
        });
        await turn;
        underWay -= 1;
        if (name === 'bad') happen(context);
        return { item: { ...sampleItem, revision: 1 }, replayed: false };
      },
    }) satisfies Partial<ItemWriter> as unknown as ItemWriter;
  const others = { newWriteId: () => `write-${ids++}`, observe: (one: Observation) => observed.push(one) };
  const handler = writeItemsHandler({ openStore, now: () => now, corsOrigins: ['*'], ...others });
  const event = gatewayEvent({ body: JSON.stringify({ rows, match: 'pn' }) });
  const { statusCode, body } = await handler(event, lambdaContext());
  const statuses = (JSON.parse(body).data ?? []).map(({ status }: { status: number }) => status);
  return { statusCode, statuses, observation: observed[0], reads, writeIds, most };
}

const good = { name: 'Chair' };
const bad = { name: 'bad' };
const times = <Value>(count: number, value: Value) => Array<Value>(count).fill(value);

describe('a batch', () => {
  it('writes ten rows at a time, each with a write id of its own', async () => {
    const { statuses, writeIds, most } = await handle(times(30, good));
    expect([statuses, new Set(writeIds).size, most]).toEqual([times(30, 201), 30, 10]);
  });

  it.each<[string, Parameters<typeof handle>[1], number]>([
    ['was throttled', ({ stats: { retries } }) => Object.assign(retries, { throttled: 1 }), 201],
    [
      'could not be completed',
      () => {
        throw new CatalogError('SERVICE_UNAVAILABLE');
      },
      503,
    ],
    [
      'left too little time for another',
      ({ deadline }) => {
        now = deadline - timeouts.batchRow + 1;
      },
      201,
    ],
  ])('begins no row after one that %s', async (_what, happen, own) => {
    const { statuses, writeIds } = await handle([bad, ...times(29, good)], happen);
    expect(writeIds.length).toBeLessThan(20);
    expect(statuses).toEqual([own, ...times(writeIds.length - 1, 201), ...times(30 - writeIds.length, 503)]);
  });

  it('refuses also after that what is refused without the store', async () => {
    const rows = [bad, ...times(19, good), { id: 7 }, null, ['row'], { id: '7' }, { id: 7 }] as object[];
    const { statuses } = await handle(rows, () => {
      throw new CatalogError('SERVICE_UNAVAILABLE');
    });
    expect(statuses.slice(-5)).toEqual([503, 422, 422, 422, 422]);
  });

  it('reads an unknown category once for all rows that have it', async () => {
    const { statuses, reads } = await handle([good, ...times(20, { ...good, category: 99 })]);
    expect([statuses, reads]).toEqual([[201, ...times(20, 422)], 1]);
  });

  it('refuses a row whose code is taken, though no item has it, as a partial restore can leave it', async () => {
    let tries = 0;
    const { statuses } = await handle([{ ...bad, pn: 'P' }], () => {
      tries += 1;
      throw tries === 1 ? alreadyExists([{ field: 'pn', item: 9 }]) : new Error('It was tried again');
    });
    expect(statuses).toEqual([409]);
  });

  it('is one observation, with the outcomes of its rows and the cause of the first defect', async () => {
    const cause = new Error('defect');
    const { statusCode, statuses, observation } = await handle([good, bad, good, { value: -1 }], () => {
      throw cause;
    });
    expect([statusCode, statuses]).toEqual([200, [201, 500, 201, 422]]);
    const rows = { created: 2, INTERNAL_ERROR: 1, VALIDATION_FAILED: 1 };
    expect(observation).toMatchObject({ status: 200, code: undefined, rows, cause, isDryRun: false });
  });

  it('fails as a whole if no row could be decided', async () => {
    const { statusCode, observation } = await handle([bad, bad], () => {
      throw new CatalogError('SERVICE_UNAVAILABLE');
    });
    expect([statusCode, observation?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});

it('an identifier that always moves, as in a damaged table, is looked up five times, and the row refused', async () => {
  const findByIdentifier = vi.fn(async () => sampleItem);
  const modifyItem = async () => ({ item: sampleItem, before: undefined, isOutdated: true, replayed: false });
  const found = { account: async () => sampleAccount, currentAccount: async () => sampleAccount, findByIdentifier };
  const openStore = () => ({ ...found, prepareInsert: async () => undefined, modifyItem }) as unknown as ItemWriter;
  const handler = writeItemsHandler({
    ...{ openStore, now: () => arrivalTime, corsOrigins: ['*'], newWriteId: () => 'write', observe: () => undefined },
  });
  const event = gatewayEvent({ body: JSON.stringify({ rows: [{ sku: 'S1', value: 1 }], match: 'sku' }) });
  const { body } = await handler(event, lambdaContext());
  expect(JSON.parse(body).data).toMatchObject([{ status: 412, error: { code: 'PRECONDITION_FAILED' } }]);
  expect(findByIdentifier).toHaveBeenCalledTimes(5);
});
