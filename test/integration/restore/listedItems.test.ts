import { beforeEach, describe, expect, it } from 'vitest';
import type { CopyScope } from '../../../admin/restore/copyBack.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { hour, ofItems, openRestored, type Restored, recordOf, to } from '../../support/table/openRestored.ts';
import { copyLost, copyOf } from '../../support/table/restoredTables.ts';
import { batch, put } from '../../support/table/storedRecords.ts';
import { createIn, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, itemOf, update, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, itemOf, update, expectSound } = await openRestored());
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
