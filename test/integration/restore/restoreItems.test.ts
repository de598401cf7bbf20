import { beforeEach, describe, expect, it } from 'vitest';
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
import { copyLost } from '../../support/table/restoredTables.ts';
import { batch, item, put } from '../../support/table/storedRecords.ts';
import { createIn, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, itemOf, update, lose, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, itemOf, update, lose, expectSound } = await openRestored());
});

describe('an item that is put back', () => {
  const skuTaken = { of: 'item', id: 1, result: 'identifier taken' };

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
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 1: 'put back' });
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
    expect(ofItems(outcomes)).toEqual({ 7: 'put back' });
  });

  it('is left to a person if its copy is damaged', async () => {
    await batch(from, [put(item(account, 1, { value: 'much' }))]);
    await lose(1);
    expect(await copyLost(from, live, everything, { to })).toEqual([
      { of: 'item', account, id: 1, result: 'copy damaged', problem: 'has a missing or wrong attribute value' },
    ]);
  });

  it('is left to a person if it is too long for DynamoDB, and the others are put back', async () => {
    const copy = await recordOf(from, keys.item(account, 2));
    // Just below DynamoDB's maximum of 400 KB. What a restore adds exceeds it.
    await batch(from, [put({ ...copy, metadata: { id: 'x'.repeat(409_600 - 400) } })]);
    await lose(2, 7);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(ofItems(outcomes)).toEqual({ 2: 'rejected', 7: 'put back' });
    expect(outcomes.some(needsDecision)).toBe(true);
  });

  it('gets a revision from which updates can count on, even if its copy has the highest one', async () => {
    const revision = Number.MAX_SAFE_INTEGER;
    await batch(from, [put({ ...(await recordOf(from, keys.item(account, 1))), revision })]);
    await lose(1);
    await copyLost(from, live, everything, { to });
    const { item: restored } = await itemOf(1);
    expect(restored).toMatchObject({ value: 0, revision: expect.toSatisfy((at) => at > hour) });
    expect(await update(1, { value: 1 })).toMatchObject({ revision: restored.revision + 1 });
    await expectSound();
  });
});
