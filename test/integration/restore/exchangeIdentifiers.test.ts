import { beforeEach, describe, expect, it } from 'vitest';
import type { CopyScope } from '../../../admin/restore/copyBack.ts';
import type { CopyOutcome } from '../../../admin/restore/copyOutcome.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { sdkError } from '../../support/standIns/sdkError.ts';
import { ofItems, openRestored, type Restored, recordOf, to } from '../../support/table/openRestored.ts';
import { copyLost, copyOf } from '../../support/table/restoredTables.ts';
import { stored } from '../../support/table/storedRecords.ts';
import { createIn, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, itemOf, update, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, itemOf, update, expectSound } = await openRestored());
});

describe("items that have taken each other's identifiers", () => {
  const dry = { to, isDryRun: true };
  const all = [1, 2, 3, 4, 5, 6];
  const named: CopyScope = { account: '', items: new Map(all.map((id) => [id, undefined])) };
  /** Lists the items in a dry run, puts them back in one run, and looks at what became of them. */
  async function restoreOnce() {
    const planned = await copyLost(from, live, { ...named, account }, dry);
    const items = new Map(planned.flatMap((one) => ('revision' in one ? [[one.id, one.revision] as const] : [])));
    const done = await copyLost(from, live, { account, items }, { to });
    expect(done.sort(byId)).toEqual(planned.sort(byId));
    await expectSound();
    return ofItems(done);
  }
  const byId = (a: CopyOutcome, b: CopyOutcome) => ('id' in a && 'id' in b ? a.id - b.id : 0);
  const skus = async () => Promise.all(all.map(async (id) => (await itemOf(id)).item.sku));
  /** Gives items other SKUs, which may belong to one of them now. */
  async function assign(taken: Readonly<Record<number, string>>): Promise<void> {
    for (const id of Object.keys(taken)) await update(Number(id), { sku: null });
    for (const [id, sku] of Object.entries(taken)) await update(Number(id), { sku });
  }

  it.each<[string, Record<number, string>]>([
    ['swapped', { 1: 'S2', 2: 'S1' }],
    ['shifted by one row', { 1: 'other', 2: 'S1', 3: 'S2', 4: 'S3', 5: 'S4', 6: 'S5' }],
    ['shifted the other way', { 1: 'S2', 2: 'S3', 3: 'S4', 4: 'S5', 5: 'S6', 6: 'other' }],
    ['rotated', { 1: 'S6', 2: 'S1', 3: 'S2', 4: 'S3', 5: 'S4', 6: 'S5' }],
    ['swapped, and one of them taken by a third', { 1: 'S3', 2: 'S1', 3: 'S2', 4: 'new', 5: 'S4' }],
  ])('get them back in one run: %s', async (_case, taken) => {
    await assign(taken);
    const moved = Object.keys(taken).map((id) => [id, 'changed']);
    expect(await restoreOnce()).toEqual(Object.fromEntries(moved));
    expect(await skus()).toEqual(['S1', 'S2', 'S3', 'S4', 'S5', 'S6']);
  });

  it('keep them as long as an item that is not put back has one of them, which the dry run tells', async () => {
    await assign({ 1: 'S2', 2: 'S3', 3: 'new', 4: 'S5', 5: 'S4' });
    await update(2, { sku: null });
    await createIn(newContainer(live), testCall(account), { sku: 'S3' });
    expect(await restoreOnce()).toEqual({
      ...{ 2: 'changed', 4: 'changed', 5: 'changed' },
      ...{ 3: 'identifier taken' },
      1: 'changed',
    });
    expect((await itemOf(3)).item.sku).toBe('new');
  });

  it('keep those of one that is not put back, because a third has its other identifier', async () => {
    await assign({ 1: 'S2', 2: 'S1' });
    await update(1, { pn: null });
    await createIn(newContainer(live), testCall(account), { pn: 'P1' });
    expect(await restoreOnce()).toEqual({ 1: 'identifier taken', 2: 'identifier taken' });
  });

  it('get back those of both kinds together, and free what only they had', async () => {
    await assign({ 1: 'x', 2: 'S1' });
    await update(1, { pn: null, sku: 'S1x' });
    await update(2, { pn: 'P1' });
    await update(1, { pn: 'P2' });
    expect(await restoreOnce()).toEqual({ 1: 'changed', 2: 'changed' });
    expect(await recordOf(live, keys.guard(account, 'sku', 'S1x'))).toBeUndefined();
    expect([(await itemOf(1)).item.pn, (await itemOf(2)).item.pn]).toEqual(['P1', 'P2']);
  });

  type Send = (command: { constructor: { name: string } }) => Promise<object>;
  /** Puts items back with a client that sends in this way. */
  async function putBackBy(sendWith: (send: Send) => Send, scope: CopyScope) {
    const send = sendWith((command) => Reflect.apply(live.client.send, live.client, [command]));
    const client = { send: send as TestTable['client']['send'] };
    return ofItems(await copyLost(from, { table: live.table, client }, scope, { to }));
  }
  const isTransaction = (command: object) => command.constructor.name === 'TransactWriteCommand';
  async function putBackSwapped(sendWith: (send: Send) => Send) {
    await assign({ 1: 'S2', 2: 'S1' });
    const items = new Map<number, number>();
    for (const id of [1, 2]) items.set(id, (await itemOf(id)).item.revision);
    return putBackBy(sendWith, { account, items });
  }

  /** Makes further items, each of which has the identifiers of the one before it since the copy was made. */
  async function openRing(size: number): Promise<CopyScope> {
    const ids: number[] = [];
    for (let made = 0; made < size; made += 1)
      ids.push((await createIn(newContainer(live), testCall(account), { sku: `R${made}`, pn: `Q${made}` })).id);
    from = await copyOf(live);
    for (const id of ids) await update(id, { sku: null, pn: null, value: 5 });
    for (const [made, id] of ids.entries())
      await update(id, { sku: `R${(made || size) - 1}`, pn: `Q${(made || size) - 1}` });
    return { account, items: new Map(ids.map((id) => [id, 3])) };
  }
  const itemsIn = async (table: TestTable) =>
    (await stored(table)).flatMap(({ sk, id, sku, pn, value }) =>
      String(sk).startsWith('ITEM#') ? [{ id, sku, pn, value }] : [],
    );
  /** Puts back until the first transaction is done, and is killed then. */
  const putBackOnce = (scope: CopyScope) => {
    let isKilled = false;
    const killing = (send: Send) => async (command: object) => {
      if (isKilled) throw new Error('killed');
      const answer = await send(command);
      isKilled = isTransaction(command);
      return answer;
    };
    return putBackBy(killing, scope);
  };

  it('get them back in a ring that is too large for a transaction, as the dry run tells', async () => {
    const scope = await openRing(50);
    const planned = await copyLost(from, live, scope, dry);
    const done = await copyLost(from, live, scope, { to });
    expect(done.sort(byId)).toEqual(planned.sort(byId));
    expect(Object.values(ofItems(done))).toEqual(Array(50).fill('changed'));
    expect(await itemsIn(live)).toEqual(await itemsIn(from));
    await expectSound();
  });

  it('get them back in a large ring however often the command is killed', async () => {
    const scope = await openRing(21);
    for (let isDone = false; !isDone; await expectSound())
      isDone = await putBackOnce(scope).then(
        () => true,
        () => false,
      );
    expect(await itemsIn(live)).toEqual(await itemsIn(from));
  });

  it('keep what a client writes to the one of a large ring that has none for a moment', async () => {
    const scope = await openRing(21);
    await expect(putBackOnce(scope)).rejects.toThrow('killed');
    const open = (await itemsIn(live)).find(({ id, sku }) => sku === undefined && id !== 7);
    await update(Number(open?.id), { value: 9 });
    const outcomes = ofItems(await copyLost(from, live, scope, { to }));
    expect(Object.entries(outcomes).filter(([, one]) => one !== 'changed')).toEqual([[String(open?.id), 'not listed']]);
    expect((await itemsIn(live)).find(({ id }) => id === open?.id)).toEqual({ ...open, value: 9 });
    await expectSound();
  });

  it('keep what a client writes to one of them while the command runs', async () => {
    let transactions = 0;
    const outcomes = await putBackSwapped((send) => async (command) => {
      // The first two are refused.
      if (isTransaction(command) && ++transactions === 3) await update(2, { value: 9 });
      return send(command);
    });
    expect(outcomes).toEqual({ 1: 'identifier taken', 2: 'not listed' });
    expect(await skus()).toEqual(['S2', 'S1', 'S3', 'S4', 'S5', 'S6']);
    await expectSound();
  });

  it('are reported as put back if only the response was lost', async () => {
    let transactions = 0;
    const outcomes = await putBackSwapped((send) => async (command) => {
      const answer = await send(command);
      if (!isTransaction(command) || ++transactions !== 1) return answer;
      const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }];
      throw sdkError('TransactionCanceledException', 400, { CancellationReasons });
    });
    expect(outcomes).toEqual({ 1: 'changed', 2: 'changed' });
  });
});
