import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issueToken, listTokens, revokeTokens } from '../../admin/accounts/accounts.ts';
import type { CopyScope } from '../../admin/restore/copyBack.ts';
import { type CopyOutcome, needsDecision } from '../../admin/restore/copyOutcome.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { ItemFields } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { newClosureRecord } from '../../lib/store/records/accountRecord.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { change } from '../support/items/itemChange.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { copyLost, copyOf } from '../support/table/restoredTables.ts';
import { batch, gone, item, put, stored } from '../support/table/storedRecords.ts';
import {
  itemFields,
  newContainer,
  openTestAccount,
  openTestCatalog,
  recording,
  type TestTable,
  testCall,
  writerOf,
} from '../support/table/testTable.ts';

const hour = 3_600_000;

/** The restored table's time: an hour ago, so that much may have been written since. */
const to = Date.now() - hour;

/** Milliseconds since the restored table's time, and some for the test itself. */
const sinceThen = () => Date.now() - to + 1_000;

const everything: CopyScope = { account: undefined };

const recordOf = async (table: TestTable, key: { pk: string; sk: string }): Promise<JsonObject | undefined> =>
  (await stored(table)).find(({ pk, sk }) => pk === key.pk && sk === key.sk);

/** What was done with each item, by its id. */
const ofItems = (outcomes: readonly CopyOutcome[]) =>
  Object.fromEntries(outcomes.flatMap((one) => (one.of === 'item' ? [[one.id, one.result]] : [])));

/** The table in use and its restored copy, both with items 1 to 6 with both identifiers, and 7 without. */
async function openRestored() {
  const { table: live, account, create } = await openTestCatalog();
  for (let id = 1; id <= 6; id += 1)
    await create({ name: `Item ${id}`, sku: `S${id}`, pn: `P${id}`, metadata: { id } });
  await create({ name: 'Item 7' });
  return {
    live,
    account,
    /** In a new container. */
    create: (fields?: Partial<ItemFields>) => writerOf(newContainer(live), account).create(fields),
    from: await copyOf(live),
    itemOf: async (id: number) => readItem((await recordOf(live, keys.item(account, id))) ?? {}),
    update: (id: number, fields: object, revisions?: readonly number[]) =>
      writerOf(newContainer(live), account).update(id, change(fields), revisions),
    /** Deletes items with their guards. */
    lose: (...ids: number[]) =>
      batch(
        live,
        ids.flatMap((id) => [
          gone(keys.item(account, id)),
          gone(keys.guard(account, 'sku', `S${id}`)),
          gone(keys.guard(account, 'pn', `P${id}`)),
        ]),
      ),
    expectSound: async () => expect(await allFindings(await stored(live), Date.now())).toEqual([]),
  };
}

/** Those of the current test, opened before it. */
let { live, account, create, from, itemOf, update, lose, expectSound } = {} as Awaited<ReturnType<typeof openRestored>>;
const open = async () => {
  ({ live, account, create, from, itemOf, update, lose, expectSound } = await openRestored());
};

describe('copying back', () => {
  let before: JsonObject[];
  let outcomes: CopyOutcome[];
  let after: JsonObject[];

  beforeAll(async () => {
    await open();
    await update(5, { value: 99 });
    await create({ name: 'New', sku: 'new' });
    await lose(1, 7);
    await batch(live, [
      // Its guards still exist.
      gone(keys.item(account, 2)),
      put({ ...(await recordOf(live, keys.item(account, 3))), value: 'much' }),
    ]);
    before = await stored(live);
    outcomes = await copyLost(from, live, everything, { to });
    after = await stored(live);
  });

  it('puts back missing items with their guards, and reports damaged and newer ones', async () => {
    expect(ofItems(outcomes)).toEqual({ 1: 'put back', 2: 'put back', 3: 'damaged', 5: 'kept', 7: 'put back' });
    expect(outcomes).toContainEqual(expect.objectContaining({ id: 5, fields: ['value'], writtenBy: 'user-1' }));
    const lost = [1, 2, 7];
    const copies = await stored(from);
    for (const id of lost) {
      const copy = readItem(copies.find(({ sk }) => sk === keys.item(account, id).sk) ?? {}).item;
      const written = { revision: expect.any(Number), updatedAt: expect.any(Number), updatedBy: 'operator' };
      expect((await itemOf(id)).item).toEqual({ ...copy, ...written });
    }
  });

  it('writes nothing else', () => {
    const written = [1, 2, 7].flatMap((id) => [
      keys.item(account, id).sk,
      ...(id === 1 ? [keys.guard(account, 'sku', 'S1').pk, keys.guard(account, 'pn', 'P1').pk] : []),
    ]);
    const others = (records: JsonObject[]) =>
      records.filter(({ pk, sk }) => !written.includes(String(pk)) && !written.includes(String(sk)));
    expect(others(after)).toEqual(others(before));
  });

  it('puts a damaged item back once its record is deleted', async () => {
    await batch(live, [gone(keys.item(account, 3))]);
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 3: 'put back', 5: 'kept' });
    expect((await itemOf(3)).item).toMatchObject({ value: 0 });
    await expectSound();
  });
});

describe('a dry run', () => {
  beforeEach(open);

  it('reports what would be put back, and writes nothing', async () => {
    await newContainer(live)(testCall(account)).insertItem(itemFields(), { key: 'k', sent: { name: 'a' } });
    from = await copyOf(live);
    const requests = (await stored(live)).filter(({ sk }) => sk === 'REQUEST');
    await lose(1, 2);
    await create({ pn: 'P2' });
    await batch(live, [
      // Its guards still exist.
      gone(keys.item(account, 3)),
      ...requests.map(gone),
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
  beforeEach(open);

  it('is copied without the others', async () => {
    const other = await openTestAccount(live);
    await writerOf(newContainer(live), other).create({ sku: 'S1' });
    from = await copyOf(live);
    await lose(1);
    await batch(live, [gone(keys.item(other, 1))]);
    const outcomes = await copyLost(from, live, { account }, { to });
    expect(outcomes.map((one) => 'account' in one && one.account)).toEqual([account]);
    expect(await recordOf(live, keys.item(other, 1))).toBeUndefined();
  });

  it('that is deleted meanwhile gets nothing back', async () => {
    const all = (await stored(live)).filter(({ pk }) => String(pk).startsWith(`ACCOUNT#${account}`));
    let reads = 0;
    const send = async (...[command, options]: Parameters<typeof live.client.send>) => {
      // The deletion begins and ends while the items to be put back are compared.
      if (command.constructor.name === 'BatchGetCommand' && ++reads === 1)
        await batch(
          live,
          all.map((record) => gone(record as never)),
        );
      return live.client.send(command, options);
    };
    const outcomes = await copyLost(from, { ...live, client: { send } as never }, { account }, { to });
    expect(outcomes).toEqual([{ of: 'account being deleted', account }]);
    expect((await stored(live)).filter(({ pk }) => String(pk).startsWith(`ACCOUNT#${account}`))).toEqual([]);
  });

  it('is copied whole, without reading the rest of the restored table', async () => {
    for (let made = 0; made < 30; made += 1) await create();
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
});

describe('an item that is put back', () => {
  beforeEach(open);

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
    const { id } = await create({ sku: 'S1' });
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

describe('the other records of an account', () => {
  beforeEach(open);

  it('are put back if they are missing, before the items that reference them, and are otherwise unchanged', async () => {
    const context = testCall(account);
    await configureAccount(live.database.for(context), account).addCategory('Third');
    from = await copyOf(live);
    await configureAccount(live.database.for(context), account).changeCategory(2, { archived: true });
    await configureAccount(live.database.for(context), account).changeCategory(1, { name: 'Renamed' });
    await lose(1);
    await batch(live, [gone(keys.category(account, 3)), gone(keys.unit(account, 'un'))]);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes.map((one) => (one.of === 'record' ? one.key.sk : one.of))).toEqual([
      'CATEGORY#3',
      'UNIT#un',
      'item',
    ]);
    expect(await recordOf(live, keys.category(account, 1))).toMatchObject({ name: 'Renamed' });
    expect(await recordOf(live, keys.category(account, 2))).toMatchObject({ archived: true });
    await expectSound();
  });

  it.each(['now', 'at that time'])('stay as they are, with the items, if the account is deleted %s', async (when) => {
    const closing = [put(newClosureRecord(account, to)), gone(keys.account(account))];
    if (when === 'now') await lose(1);
    await batch(when === 'now' ? live : from, closing);
    if (when !== 'now') await batch(live, (await stored(live)).map(gone));
    const before = await stored(live);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes).toEqual(when === 'now' ? [{ of: 'account being deleted', account }] : []);
    expect(outcomes.every(needsDecision)).toBe(true);
    expect(await stored(live)).toEqual(before);
  });

  it('assign no item id or category id again', async () => {
    await batch(live, [gone(keys.counter(account)), gone(keys.account(account))]);
    await lose(1);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes).toContainEqual({
      of: 'item ids',
      account,
      last: expect.toSatisfy((last) => last > 50 * hour && last < 50 * (2 + sinceThen())),
    });
    const { id } = await create();
    expect(id).toBeGreaterThan(50 * hour);
    const category = await configureAccount(live.database.for(testCall(account)), account).addCategory('Next');
    expect(category).toBeGreaterThan(hour);
    expect(category).toBeLessThan(3 + sinceThen());
    await expectSound();
  });

  it('keep a counter that is ahead', async () => {
    const ahead = writerOf(newContainer(live), account);
    for (let made = 0; made < 11; made += 1) await ahead.create();
    const before = await recordOf(live, keys.counter(account));
    await lose(1);
    await copyLost(from, live, everything, { to });
    expect(await recordOf(live, keys.counter(account))).toEqual(before);
  });

  it('are left to a person if they are damaged, and are not changed', async () => {
    const broken = [
      put({ ...keys.account(account), default_tax: 'much' }),
      put({ ...keys.unit(account, 'kg'), code: 'kg', decimals: 'many' }),
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
      await configureAccount(live.database.for(testCall(account)), account).addCategory(`C${name}`);
    from = await copyOf(live);
    const lost = (await stored(live)).filter(({ sk }) => String(sk).startsWith('CATEGORY#'));
    await batch(live, lost.map(gone));
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
    await issue(3_600);
    const revoked = [await issue(3_600), await issue(3_600), await issue(-1)];
    from = await copyOf(live);
    for (const { entry } of revoked)
      await revokeTokens(live.database.for(testCall(account)), account, ['id', entry.id]);
    expect(await copyLost(from, live, everything, { to })).toEqual([{ of: 'tokens', account, count: 2 }]);
    expect(await listTokens(live.database.for(testCall(account)), account)).toHaveLength(1);
    await expectSound();
  });
});

describe('the keys of creates', () => {
  beforeEach(open);

  const keyed = (key: string) => ({ key, sent: { name: key } });
  const createKeyed = (key: string) =>
    newContainer(live)({ ...testCall(account), user: 'importer' }).insertItem(itemFields({ name: key }), keyed(key));
  const requests = async (table: TestTable) => (await stored(table)).filter(({ sk }) => sk === 'REQUEST');

  it('replay the items that were put back, and create nothing twice', async () => {
    const { item: made } = await createKeyed('a');
    from = await copyOf(live);
    await batch(live, [gone(keys.item(account, made.id)), ...(await requests(live)).map(gone)]);
    for (const isDryRun of [true, false])
      expect((await copyLost(from, live, everything, { to, isDryRun })).map(({ of }) => of)).toEqual([
        'item',
        'record',
      ]);
    expect(await createKeyed('a')).toMatchObject({ item: { id: made.id }, replayed: true });
    await expectSound();
  });

  it('are free if the item was not put back, or the copy has expired or is damaged', async () => {
    const ids: number[] = [];
    for (const key of ['a', 'b', 'c', 'd']) ids.push((await createKeyed(key)).item.id);
    from = await copyOf(live);
    const records = await requests(live);
    const copyFor = (index: number) => records.find(({ item: copy }) => (copy as JsonObject)['id'] === ids[index]);
    await batch(live, [...records.map(gone), put(item(account, ids[0] ?? 0, { created_at: 1 }))]);
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
    await createKeyed('a');
    from = await copyOf(live);
    const before = await requests(live);
    const others = before.map((record) => put({ ...record, fingerprint: 'other' }));
    await batch(from, others);
    expect(await copyLost(from, live, everything, { to })).toEqual([]);
    expect(await requests(live)).toEqual(before);
  });
});
