import { beforeEach, describe, expect, it } from 'vitest';
import type { CopyScope } from '../../../admin/restore/copyBack.ts';
import { needsDecision } from '../../../admin/restore/copyOutcome.ts';
import { timeouts } from '../../../lib/catalog/timeouts.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { sdkError } from '../../support/standIns/sdkError.ts';
import {
  everything,
  hour,
  ofItems,
  openRestored,
  type Restored,
  recordOf,
  sinceThen,
  to,
} from '../../support/table/openRestored.ts';
import { copyLost, copyOf } from '../../support/table/restoredTables.ts';
import { batch, guard, item, put } from '../../support/table/storedRecords.ts';
import { createIn, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, itemOf, update, lose, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, itemOf, update, lose, expectSound } = await openRestored());
});

describe('an item that is put back', () => {
  const skuTaken = { of: 'item', id: 1, result: 'identifier taken', loss: 'missing' };

  it('gets a revision that no client has seen', async () => {
    for (let revision = 1; revision < 5; revision += 1) await update(1, { value: revision }, [revision]);
    await lose(1);
    await copyLost(from, live, everything, { to });
    // One for each millisecond since then, because no item can have been written more often.
    expect((await itemOf(1)).item).toMatchObject({
      value: 0,
      revision: expect.toSatisfy((at) => at > hour && at < 5 + sinceThen()),
    });
    await expect(update(1, { value: 7 }, [5])).rejects.toThrow();
  });

  it('is closed to requests to DynamoDB that were abandoned before the loss', async () => {
    const given = Date.now();
    await lose(1);
    await copyLost(from, live, everything, { to });
    // Even to those of a container whose clock is ahead.
    expect((await itemOf(1)).closedUntil).toBeGreaterThanOrEqual(given + timeouts.clockSkew);
    expect(await update(1, { value: 7 })).toMatchObject({ value: 7 });
  });

  it('keeps attributes that this version does not know', async () => {
    await batch(from, [put({ ...(await recordOf(from, keys.item(account, 1))), colour_v2: 'red' })]);
    await lose(1);
    await copyLost(from, live, everything, { to });
    expect(await recordOf(live, keys.item(account, 1))).toMatchObject({ colour_v2: 'red' });
  });

  it('is not put back, and takes no identifier, if another item has one of its own', async () => {
    await lose(1, 2);
    const { id } = await createIn(newContainer(live), testCall(account), { sku: 'S1' });
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes).toHaveLength(2);
    expect(outcomes).toEqual(
      expect.arrayContaining([
        { ...skuTaken, account, taken: [{ field: 'sku', item: id }] },
        expect.objectContaining({ id: 2, result: 'put back' }),
      ]),
    );
    expect(await recordOf(live, keys.guard(account, 'pn', 'P1'))).toBeUndefined();
    await expectSound();
    // When the identifier is free again, another run puts the item back.
    await update(id, { sku: null });
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 1: 'missing' });
    await expectSound();
  });

  it('does not replace another item with the same id', async () => {
    await batch(live, [put(item(account, 7, { name: 'Another', created_at: 1 }))]);
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 7: 'id taken' });
  });

  it('does not overwrite a guard that cannot be read', async () => {
    await lose(1);
    await batch(live, [put({ ...keys.guard(account, 'sku', 'S1'), item_id: 'one' })]);
    for (const isDryRun of [true, false])
      expect(await copyLost(from, live, everything, { to, isDryRun })).toEqual([
        { ...skuTaken, account, taken: [{ field: 'sku', item: null }] },
      ]);
  });

  it('is reported as put back if only the response was lost', async () => {
    await lose(7);
    const send = async (...args: [{ constructor: { name: string } }]) => {
      const answer = await Reflect.apply(live.client.send, live.client, args);
      if (args[0].constructor.name !== 'TransactWriteCommand') return answer;
      // The response to a second attempt after DynamoDB has forgotten the first.
      const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }];
      throw sdkError('TransactionCanceledException', 400, { CancellationReasons });
    };
    const client = { send: send as TestTable['client']['send'] };
    const outcomes = await copyLost(from, { ...live, client }, everything, { to });
    expect(ofItems(outcomes)).toEqual({ 7: 'missing' });
  });

  it('is left to a person if its copy is damaged', async () => {
    await batch(from, [put(item(account, 1, { value: -1 }))]);
    await lose(1);
    expect(await copyLost(from, live, everything, { to })).toEqual([
      { of: 'item', account, id: 1, result: 'copy damaged', problem: 'has the value -1' },
    ]);
  });

  it('is left to a person if it is too long for DynamoDB, and the others are put back', async () => {
    const copy = await recordOf(from, keys.item(account, 2));
    // Just below DynamoDB's maximum of 400 KB. What a restore adds exceeds it.
    await batch(from, [put({ ...copy, metadata: { id: 'x'.repeat(409_600 - 400) } })]);
    // No guard can have a key of this length.
    await batch(live, [
      put({ ...(await recordOf(live, keys.item(account, 1))), sku: 'x'.repeat(3_000), value: 'much' }),
    ]);
    await lose(2, 7);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(ofItems(outcomes)).toEqual({ 1: 'rejected', 2: 'rejected', 7: 'missing' });
    expect(outcomes.some(needsDecision)).toBe(true);
  });

  it('gets a revision above that of its damaged record, and above all that clients may have seen', async () => {
    const revision = 10 * hour;
    for (const [id, damaged] of [
      [1, revision],
      [2, 1],
    ] as const)
      await batch(live, [put({ ...(await recordOf(live, keys.item(account, id))), value: 'much', revision: damaged })]);
    await copyLost(from, live, everything, { to });
    expect((await itemOf(1)).item).toMatchObject({ value: 0, revision: revision + 1 });
    expect((await itemOf(2)).item.revision).toBeGreaterThan(hour);
  });

  it('gets a revision from which updates can count on, even if its copy or its damaged record has the highest one', async () => {
    const revision = Number.MAX_SAFE_INTEGER;
    await batch(from, [put({ ...(await recordOf(from, keys.item(account, 1))), revision })]);
    await lose(1);
    await batch(live, [put({ ...(await recordOf(live, keys.item(account, 2))), value: 'much', revision })]);
    await batch(live, [put({ ...(await recordOf(live, keys.item(account, 3))), value: 9, revision })]);
    await copyLost(from, live, everything, { to });
    await copyLost(from, live, { account, items: new Map([[3, revision]]) }, { to });
    for (const id of [1, 2, 3]) {
      const { item: restored } = await itemOf(id);
      expect(restored).toMatchObject({ value: 0, revision: expect.toSatisfy((at) => at > hour) });
      expect(await update(id, { value: 1 })).toMatchObject({ revision: restored.revision + 1 });
    }
    await expectSound();
  });

  it('frees the identifiers that only the damaged record had, but no guard of another item', async () => {
    const record = await recordOf(live, keys.item(account, 1));
    await batch(live, [put({ ...record, value: 'much', sku: 'odd', pn: 'P2' }), put(guard(account, 'sku', 'odd', 1))]);
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 1: 'damaged' });
    expect(await recordOf(live, keys.guard(account, 'sku', 'odd'))).toBeUndefined();
    expect(await recordOf(live, keys.guard(account, 'pn', 'P2'))).toMatchObject({ item_id: 2 });
    await expectSound();
  });
});

describe('items that are listed explicitly', () => {
  /** Items at the revisions that they have now, as a dry run lists them. */
  async function listed(...ids: number[]): Promise<CopyScope> {
    const dry = { to, isDryRun: true };
    const outcomes = await copyLost(from, live, { account, items: new Map(ids.map((id) => [id, undefined])) }, dry);
    const revisions = new Map(
      outcomes.map((one) => ['id' in one && one.id, 'revision' in one ? one.revision : undefined]),
    );
    return { account, items: new Map(ids.map((id) => [id, revisions.get(id)])) };
  }

  it('get their older values back as a new revision, with their guards', async () => {
    await update(1, { name: 'Bad', sku: 'bad', pn: null, value: 5 });
    await update(1, { value: 6 });
    await update(2, { value: 5 });
    const outcomes = await copyLost(from, live, await listed(1, 3, 99), { to });
    expect(outcomes).toEqual([
      { of: 'item', account, id: 99, result: 'no copy' },
      {
        ...{ of: 'item', account, id: 1, result: 'put back', loss: 'changed' },
        ...{ revision: 3, writtenBy: 'user-1', writtenAt: expect.any(Number) },
        fields: {
          name: { now: 'Bad', before: 'Item 1' },
          value: { now: 6, before: 0 },
          sku: { now: 'bad', before: 'S1' },
          pn: { now: null, before: 'P1' },
        },
      },
    ]);
    expect((await itemOf(1)).item).toMatchObject({ name: 'Item 1', value: 0, sku: 'S1', pn: 'P1', revision: 4 });
    expect((await itemOf(2)).item.value).toBe(5);
    expect(await recordOf(live, keys.guard(account, 'sku', 'bad'))).toBeUndefined();
    await expectSound();
  });

  it('get a revision that no client has seen, even if the live one was lowered', async () => {
    for (let revision = 1; revision < 5; revision += 1) await update(1, { value: revision });
    from = await copyOf(live);
    await batch(live, [put({ ...(await recordOf(live, keys.item(account, 1))), value: 9, revision: 2 })]);
    await copyLost(from, live, await listed(1), { to });
    expect((await itemOf(1)).item).toMatchObject({ value: 4, revision: expect.toSatisfy((at) => at > hour) });
  });

  it('keep what a client has written since the dry run that listed them, however often the command is run', async () => {
    for (const id of [1, 2, 3]) await update(id, { value: 5 });
    const list = await listed(1, 2, 3);
    await update(1, { value: 6 });
    for (let run = 1; run <= 2; run += 1) {
      expect(ofItems(await copyLost(from, live, list, { to }))).toEqual({
        1: 'not listed',
        ...(run === 1 ? { 2: 'changed', 3: 'changed' } : { 2: 'not listed' }),
      });
      await update(2, { value: 7 });
    }
    expect([(await itemOf(1)).item.value, (await itemOf(2)).item.value, (await itemOf(3)).item.value]).toEqual([
      6, 7, 0,
    ]);
    expect(ofItems(await copyLost(from, live, await listed(1), { to }))).toEqual({ 1: 'changed' });
  });

  it('keep newer values, except in a dry run, if they are listed without a revision', async () => {
    await update(1, { value: 5 });
    const unlisted: CopyScope = { account, items: new Map([[1, undefined]]) };
    for (const [isDryRun, result] of [
      [true, 'changed'],
      [false, 'not listed'],
    ] as const)
      expect(ofItems(await copyLost(from, live, unlisted, { to, isDryRun }))).toEqual({ 1: result });
    expect((await itemOf(1)).item.value).toBe(5);
  });

  /** The table in use, which is written just before the first transaction. */
  function racing(write: () => Promise<unknown>) {
    let raced = false;
    const send = async (...args: [{ constructor: { name: string } }]) => {
      if (args[0].constructor.name === 'TransactWriteCommand' && !raced) {
        raced = true;
        await write();
      }
      return Reflect.apply(live.client.send, live.client, args);
    };
    return { client: { send: send as TestTable['client']['send'] }, table: live.table };
  }

  it('keep what a client writes while the command runs', async () => {
    await update(1, { value: 5 });
    const list = await listed(1);
    const racingWrite = racing(() => update(1, { value: 8 }));
    expect(ofItems(await copyLost(from, racingWrite, list, { to }))).toEqual({ 1: 'not listed' });
    expect((await itemOf(1)).item.value).toBe(8);
  });

  it('keep a fence that is raised while the command runs', async () => {
    await update(1, { value: 5 });
    const closedUntil = Date.now() + hour;
    const fence = async () =>
      batch(live, [put({ ...(await recordOf(live, keys.item(account, 1))), closed_until: closedUntil })]);
    expect(ofItems(await copyLost(from, racing(fence), await listed(1), { to }))).toEqual({ 1: 'changed' });
    expect(await itemOf(1)).toMatchObject({ item: { value: 0 }, closedUntil });
  });

  it('take no identifier from another item', async () => {
    await update(1, { sku: null, value: 5 });
    const { id } = await createIn(newContainer(live), testCall(account), { sku: 'S1' });
    expect(await copyLost(from, live, await listed(1), { to })).toMatchObject([
      { of: 'item', account, id: 1, result: 'identifier taken', taken: [{ field: 'sku', item: id }], revision: 2 },
    ]);
    expect((await itemOf(1)).item.value).toBe(5);
  });
});
