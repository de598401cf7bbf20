import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { addCategory, archiveCategory, renameCategory } from '../../lib/operator/accounts.ts';
import type { CopyScope } from '../../lib/operator/restore/copyBack.ts';
import type { CopyOutcome } from '../../lib/operator/restore/copyOutcome.ts';
import { needsDecision } from '../../lib/operator/restore/copyOutcome.ts';
import { issueToken, listTokens, revokeToken } from '../../lib/operator/tokens.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { copyLost, copyOf } from '../support/restoredTables.ts';
import { sdkError } from '../support/sdkError.ts';
import { batch, gone, guard, item, put, stored } from '../support/storedRecords.ts';
import type { TestTable } from '../support/testTable.ts';
import {
  createIn,
  createTestTable,
  itemFields,
  modifyIn,
  newContainer,
  newReader,
  openTestAccount,
  recording,
  testCall,
} from '../support/testTable.ts';
import { verifier } from '../support/verifier.ts';

/** Milliseconds since the restored table's time, and some for the test itself. */
const sinceThen = () => Date.now() - to + 1_000;

const everything: CopyScope = { account: undefined };
const hour = 3_600_000;

let live: TestTable;
let from: TestTable;
let account: string;
/** The restored table's time: an hour ago, so that much may have been written since. */
const to = Date.now() - hour;

const recordOf = async (table: TestTable, key: { pk: string; sk: string }): Promise<JsonObject | undefined> =>
  (await stored(table)).find(({ pk, sk }) => pk === key.pk && sk === key.sk);
const itemOf = async (id: number) => readItem((await recordOf(live, keys.item(account, id))) ?? {});
const update = (id: number, fields: object, revisions?: readonly number[]) =>
  modifyIn(newContainer(live), testCall(account), id, { fields, metadata: { set: {}, remove: [] } }, revisions);
/** Deletes items with their guards. */
const lose = async (...ids: number[]) =>
  batch(
    live,
    ids.flatMap((id) => [
      gone(keys.item(account, id)),
      gone(keys.guard(account, 'sku', `S${id}`)),
      gone(keys.guard(account, 'pn', `P${id}`)),
    ]),
  );
const ofItems = (outcomes: readonly CopyOutcome[]) =>
  Object.fromEntries(
    outcomes.flatMap((one) => (one.of === 'item' ? [[one.id, one.result === 'put back' ? one.loss : one.result]] : [])),
  );
const expectSound = async () => expect(await verifier(live).verify()).toEqual([]);

/** Items 1 to 6 with both identifiers, and 7 without. */
async function openTables(): Promise<void> {
  live = await createTestTable();
  account = await openTestAccount(live);
  const catalog = newContainer(live);
  for (let id = 1; id <= 6; id += 1)
    await createIn(catalog, testCall(account), { name: `Item ${id}`, sku: `S${id}`, pn: `P${id}`, metadata: { id } });
  await createIn(catalog, testCall(account), { name: 'Item 7' });
  from = await copyOf(live);
}

describe('copying back', () => {
  let before: JsonObject[];
  let outcomes: CopyOutcome[];
  let after: JsonObject[];

  beforeAll(async () => {
    await openTables();
    const before1 = await recordOf(live, keys.item(account, 3));
    await update(5, { value: 99 });
    await createIn(newContainer(live), testCall(account), { name: 'New', sku: 'new' });
    await lose(1, 7);
    await batch(live, [
      // Its guards still exist.
      gone(keys.item(account, 2)),
      put({ ...before1, value: 'much', revision: 4 }),
      put({
        ...item(account, 4),
        created_at: Number((await itemOf(4)).item.createdAt),
        metadata: 1,
        revision: 'x',
        sku: 'S5',
      }),
    ]);
    before = await stored(live);
    outcomes = await copyLost(from, live, everything, { to });
    after = await stored(live);
  });

  it('puts back missing and damaged items with their guards', async () => {
    expect(ofItems(outcomes)).toEqual({
      1: 'missing',
      2: 'missing',
      3: 'damaged',
      4: 'damaged',
      5: 'newer',
      7: 'missing',
    });
    const lost = [1, 2, 3, 4, 7];
    const copies = await stored(from);
    for (const id of lost) {
      const copy = readItem(copies.find(({ sk }) => sk === keys.item(account, id).sk) ?? {}).item;
      expect({ ...(await itemOf(id)).item, revision: 0 }).toEqual({ ...copy, revision: 0 });
    }
    await expectSound();
  });

  it('writes nothing else', () => {
    const written = [1, 2, 3, 4, 7].flatMap((id) => [
      keys.item(account, id).sk,
      ...(id === 1 ? [keys.guard(account, 'sku', 'S1').pk, keys.guard(account, 'pn', 'P1').pk] : []),
    ]);
    const others = (records: JsonObject[]) =>
      records.filter(({ pk, sk }) => !written.includes(String(pk)) && !written.includes(String(sk)));
    expect(others(after)).toEqual(others(before));
  });

  it('writes nothing in a second run', async () => {
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 5: 'newer' });
    expect(await stored(live)).toEqual(after);
  });

  it('reports for newer items who wrote them, and which fields differ', () => {
    expect(outcomes.find((one) => one.of === 'item' && one.id === 5)).toMatchObject({
      ...{ result: 'newer', fields: { value: { now: 99, before: 0 } }, revision: 2, writtenBy: 'user-1' },
    });
  });
});

describe('an item that is put back', () => {
  beforeEach(openTables);

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

  it('is closed to messages that were abandoned before the loss', async () => {
    const given = Date.now();
    await lose(1);
    await copyLost(from, live, everything, { to });
    // Even to those of a container whose clock is ahead.
    expect((await itemOf(1)).closedUntil).toBeGreaterThanOrEqual(given + timeouts.clockSkew);
    expect(await update(1, { value: 7 })).toMatchObject({ value: 7 });
  });

  it('is in the list, and is found by its identifiers', async () => {
    await lose(1);
    await copyLost(from, live, everything, { to });
    const reader = newReader(live);
    expect(await reader(testCall(account)).findByIdentifier({ name: 'sku', text: 'S1' })).toMatchObject({ id: 1 });
    await expectSound();
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
        {
          of: 'item',
          account,
          id: 1,
          result: 'identifier taken',
          loss: 'missing',
          taken: [{ field: 'sku', item: id }],
        },
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
        {
          of: 'item',
          account,
          id: 1,
          result: 'identifier taken',
          loss: 'missing',
          taken: [{ field: 'sku', item: null }],
        },
      ]);
  });

  it('is reported as put back if only the answer was lost', async () => {
    await lose(7);
    const send = async (...args: [{ constructor: { name: string } }]) => {
      const answer = await Reflect.apply(live.client.send, live.client, args);
      if (args[0].constructor.name !== 'TransactWriteCommand') return answer;
      // The answer to a second attempt after DynamoDB has forgotten the first.
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
  beforeEach(openTables);

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

describe("items that have taken each other's identifiers", () => {
  beforeEach(openTables);

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

  it('get back those of both kinds together, and free what only they had', async () => {
    await assign({ 1: 'x', 2: 'S1' });
    await update(1, { pn: null, sku: 'S1x' });
    await update(2, { pn: 'P1' });
    await update(1, { pn: 'P2' });
    expect(await restoreOnce()).toEqual({ 1: 'changed', 2: 'changed' });
    expect(await recordOf(live, keys.guard(account, 'sku', 'S1x'))).toBeUndefined();
    expect([(await itemOf(1)).item.pn, (await itemOf(2)).item.pn]).toEqual(['P1', 'P2']);
  });

  it('keep what a client writes to one of them while the command runs', async () => {
    await assign({ 1: 'S2', 2: 'S1' });
    const items = new Map([
      [1, (await itemOf(1)).item.revision],
      [2, (await itemOf(2)).item.revision],
    ]);
    let transactions = 0;
    const send = async (...args: [{ constructor: { name: string } }]) => {
      // The first two are refused.
      if (args[0].constructor.name === 'TransactWriteCommand' && ++transactions === 3) await update(2, { value: 9 });
      return Reflect.apply(live.client.send, live.client, args);
    };
    const client = { send: send as TestTable['client']['send'] };
    const outcomes = await copyLost(from, { table: live.table, client }, { account, items }, { to });
    expect(ofItems(outcomes)).toEqual({ 1: 'identifier taken', 2: 'not listed' });
    expect(await skus()).toEqual(['S2', 'S1', 'S3', 'S4', 'S5', 'S6']);
    await expectSound();
  });

  it('are reported as put back if only the response was lost', async () => {
    await assign({ 1: 'S2', 2: 'S1' });
    const items = new Map([
      [1, (await itemOf(1)).item.revision],
      [2, (await itemOf(2)).item.revision],
    ]);
    let transactions = 0;
    const send = async (...args: [{ constructor: { name: string } }]) => {
      const answer = await Reflect.apply(live.client.send, live.client, args);
      if (args[0].constructor.name !== 'TransactWriteCommand' || ++transactions !== 1) return answer;
      const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }];
      throw sdkError('TransactionCanceledException', 400, { CancellationReasons });
    };
    const client = { send: send as TestTable['client']['send'] };
    const outcomes = await copyLost(from, { table: live.table, client }, { account, items }, { to });
    expect(ofItems(outcomes)).toEqual({ 1: 'changed', 2: 'changed' });
  });
});

describe('the other records of an account', () => {
  beforeEach(openTables);

  it('are put back if they are missing, before the items that reference them, and are otherwise unchanged', async () => {
    const context = testCall(account);
    await addCategory(live.database.for(context), account, 'Third');
    from = await copyOf(live);
    await archiveCategory(live.database.for(context), account, 2);
    await renameCategory(live.database.for(context), account, 1, 'Renamed');
    await lose(1);
    await batch(live, [gone(keys.category(account, 3)), gone(keys.unit(account, 'un'))]);
    const outcomes = await copyLost(from, live, everything, { to });
    const changed = (id: number, fields: object) => {
      const { pk, sk } = keys.category(account, id);
      return { of: 'changed record', key: { pk, sk }, fields };
    };
    expect(outcomes.splice(0, 2)).toEqual([
      changed(1, { name: { now: 'Renamed', before: 'General' } }),
      changed(2, { archived: { now: true, before: false } }),
    ]);
    expect(outcomes.map((one) => (one.of === 'record' ? one.key.sk : one.of))).toEqual([
      'CATEGORY#3',
      'UNIT#un',
      'item',
    ]);
    expect(await recordOf(live, keys.category(account, 1))).toMatchObject({ name: 'Renamed' });
    expect(await recordOf(live, keys.category(account, 2))).toMatchObject({ archived: true });
    await expectSound();
  });

  it('assign no item id or category id again', async () => {
    await batch(live, [gone(keys.counter(account)), gone(keys.account(account))]);
    await lose(1);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes).toContainEqual({
      of: 'item ids',
      account,
      last: expect.toSatisfy((last) => last > 10 * hour && last < 10 * (2 + sinceThen())),
    });
    const { id } = await createIn(newContainer(live), testCall(account));
    expect(id).toBeGreaterThan(10 * hour);
    const category = await addCategory(live.database.for(testCall(account)), account, 'Next');
    expect(category).toBeGreaterThan(hour);
    expect(category).toBeLessThan(3 + sinceThen());
    await expectSound();
  });

  it('keep a counter that is ahead', async () => {
    const catalog = newContainer(live);
    for (let made = 0; made < 11; made += 1) await createIn(catalog, testCall(account));
    const before = await recordOf(live, keys.counter(account));
    await lose(1);
    await copyLost(from, live, everything, { to });
    expect(await recordOf(live, keys.counter(account))).toEqual(before);
  });

  it('are left to a person if they are damaged, and are not changed', async () => {
    const broken = [
      put({ ...keys.account(account), default_tax: 'much' }),
      put({ ...keys.unit(account, 'kg'), code: 'kg', decimals: 99 }),
      put({ ...keys.counter(account), last: 'x' }),
    ];
    await batch(live, broken);
    const before = await stored(live);
    const outcomes = await copyLost(from, live, everything, { to });
    const left = [keys.account(account), keys.unit(account, 'kg'), keys.counter(account)];
    expect(outcomes).toEqual(left.map(({ pk, sk }) => ({ of: 'damaged record', key: { pk, sk } })));
    expect(outcomes.every(needsDecision)).toBe(true);
    expect(await stored(live)).toEqual(before);
  });

  it('are put back, however long all of them take', async () => {
    let looks = 0;
    // Time passes quickly: 200 ms with every look at the clock.
    const now = () => {
      looks += 1;
      return Date.now() + looks * 200;
    };
    const clock = { now, random: Math.random, sleep: async () => undefined };
    for (let name = 1; name <= 40; name += 1)
      await addCategory(live.database.for(testCall(account)), account, `C${name}`);
    from = await copyOf(live);
    const lost = (await stored(live)).filter(({ sk }) => String(sk).startsWith('CATEGORY#'));
    await batch(
      live,
      lost.map(({ pk, sk }) => gone({ pk: String(pk), sk: String(sk) })),
    );
    const outcomes = await copyLost(from, live, everything, { to, clock });
    expect(outcomes.filter(({ of }) => of === 'record')).toHaveLength(lost.length);
  });

  it('exclude tokens, which may have been revoked: only their number is reported', async () => {
    const caller = { account, user: 'u', permissions: ['catalog:edit'] as const };
    const now = Date.now();
    const issue = (expiresIn: number) =>
      issueToken(
        live.database.for(testCall(account)),
        { ...caller, expiresAt: Math.floor(now / 1_000) + expiresIn },
        now,
      );
    const { entry } = await issue(3_600);
    const other = await issue(3_600);
    await issue(3_600);
    const ended = await issue(-1);
    from = await copyOf(live);
    await revokeToken(live.database.for(testCall(account)), account, entry.id);
    await revokeToken(live.database.for(testCall(account)), account, other.entry.id);
    await revokeToken(live.database.for(testCall(account)), account, ended.entry.id);
    expect(await copyLost(from, live, everything, { to })).toEqual([{ of: 'tokens', account, count: 2 }]);
    expect(await listTokens(live.database.for(testCall(account)), account)).toHaveLength(1);
    await expectSound();
  });
});

describe('the keys of creates', () => {
  beforeEach(openTables);

  const keyed = (key: string) => ({ key, sent: { name: key } });
  const create = (key: string) =>
    newContainer(live)({ ...testCall(account), user: 'importer' }).insertItem(itemFields({ name: key }), keyed(key));
  const requests = async (table: TestTable) => (await stored(table)).filter(({ sk }) => sk === 'REQUEST');

  it('replay the items that were put back, and create nothing twice', async () => {
    const { item: made } = await create('a');
    from = await copyOf(live);
    const [record] = await requests(live);
    await batch(live, [gone(keys.item(account, made.id)), gone({ pk: String(record?.['pk']), sk: 'REQUEST' })]);
    for (const isDryRun of [true, false])
      expect((await copyLost(from, live, everything, { to, isDryRun })).map(({ of }) => of)).toEqual([
        'item',
        'record',
      ]);
    expect(await create('a')).toMatchObject({ item: { id: made.id }, replayed: true });
    await expectSound();
  });

  it('are free if the item was not put back, or the copy has expired or is damaged', async () => {
    const ids: number[] = [];
    for (const key of ['a', 'b', 'c', 'd']) ids.push((await create(key)).item.id);
    from = await copyOf(live);
    const records = await requests(live);
    const copyFor = (index: number) => records.find(({ item: copy }) => (copy as JsonObject)['id'] === ids[index]);
    await batch(live, [
      ...records.map(({ pk }) => gone({ pk: String(pk), sk: 'REQUEST' })),
      put(item(account, ids[0] ?? 0, { created_at: 1 })),
    ]);
    const now = Math.floor(Date.now() / 1_000);
    await batch(from, [
      put({ ...copyFor(1), expires_at: now - 1 }),
      put({ ...copyFor(2), expires_at: now + 48 * 3_600 }),
      put({ ...copyFor(3), fingerprint: 1 }),
    ]);
    for (const isDryRun of [true, false])
      expect(ofItems(await copyLost(from, live, everything, { to, isDryRun }))).toEqual({ [ids[0] ?? 0]: 'id taken' });
    expect(await requests(live)).toEqual([]);
  });

  it('stay as they are if they exist', async () => {
    await create('a');
    from = await copyOf(live);
    const before = await requests(live);
    await batch(
      from,
      before.map((record) => put({ ...record, fingerprint: 'other' })),
    );
    expect(await copyLost(from, live, everything, { to })).toEqual([]);
    expect(await requests(live)).toEqual(before);
  });
});

describe('a dry run', () => {
  beforeEach(openTables);

  it('reports what would be put back, and writes nothing', async () => {
    await newContainer(live)(testCall(account)).insertItem(itemFields(), { key: 'k', sent: { name: 'a' } });
    from = await copyOf(live);
    const [request] = (await stored(live)).filter(({ sk }) => sk === 'REQUEST');
    await lose(1, 2);
    await createIn(newContainer(live), testCall(account), { pn: 'P2' });
    await batch(live, [
      // Its guards still exist.
      gone(keys.item(account, 3)),
      gone({ pk: String(request?.['pk']), sk: 'REQUEST' }),
      gone(keys.counter(account)),
      gone(keys.unit(account, 'kg')),
    ]);
    const before = [await stored(live), await stored(from)];
    const { client, sent } = recording(live.client);
    const planned = await copyLost(from, { ...live, client }, everything, { to, isDryRun: true });
    expect([await stored(live), await stored(from)]).toEqual(before);
    expect(sent.filter((name) => /Put|Update|Write/.test(name))).toEqual([]);
    const done = await copyLost(from, live, everything, { to });
    const comparable = (all: CopyOutcome[]) =>
      all.map((one) => JSON.stringify('last' in one ? { ...one, last: 0 } : one)).sort();
    expect(comparable(planned)).toEqual(comparable(done));
    expect(planned.map(({ of }) => of).sort()).toEqual(['item', 'item', 'item', 'item ids', 'record', 'record']);
  });
});

describe('one account', () => {
  beforeEach(openTables);

  it('is copied without the others', async () => {
    const other = await openTestAccount(live);
    await createIn(newContainer(live), testCall(other), { sku: 'S1' });
    from = await copyOf(live);
    await lose(1);
    await batch(live, [gone(keys.item(other, 1))]);
    const outcomes = await copyLost(from, live, { account }, { to });
    expect(outcomes.map((one) => 'account' in one && one.account)).toEqual([account]);
    expect(await recordOf(live, keys.item(other, 1))).toBeUndefined();
  });

  it('is copied whole, without reading the rest of the restored table', async () => {
    for (let made = 0; made < 30; made += 1) await createIn(newContainer(live), testCall(account));
    from = await copyOf(live);
    const ids = (await stored(from)).flatMap(({ sk }) =>
      String(sk).startsWith('ITEM#') ? [Number(String(sk).slice(5))] : [],
    );
    await lose(...ids);
    const { client, sent } = recording(from.client);
    const outcomes = await copyLost({ ...from, client }, live, { account }, { to });
    expect(
      Object.keys(ofItems(outcomes))
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(ids.sort((a, b) => a - b));
    expect(ids).toHaveLength(37);
    expect(sent).toContain('Query');
    expect(sent).not.toContain('Scan');
    await expectSound();
  });

  it('must be in the restored table', async () => {
    const outcome = copyLost(from, live, { account: 'nobody' }, { to });
    await expect(outcome).rejects.toThrow('The restored table has no account nobody.');
  });
});
