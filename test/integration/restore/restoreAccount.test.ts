import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken, listTokens, revokeTokens } from '../../../admin/accounts/tokens.ts';
import { needsDecision } from '../../../admin/restore/copyOutcome.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { configureAccount } from '../../../lib/store/catalog/configureAccount.ts';
import { newClosureRecord } from '../../../lib/store/records/accountRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
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
import { batch, gone, item, put, stored } from '../../support/table/storedRecords.ts';
import { createIn, itemFields, newContainer, type TestTable, testCall } from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, lose, expectSound } = {} as Restored;
beforeEach(async () => {
  ({ live, from, account, lose, expectSound } = await openRestored());
});

describe('the other records of an account', () => {
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

  it.each(['now', 'at that time'])(
    'stay as they are, with the items, if the account is being deleted %s',
    async (when) => {
      const closing = [put(newClosureRecord(account, to)), gone(keys.account(account))];
      if (when === 'now') await lose(1);
      await batch(when === 'now' ? live : from, closing);
      if (when !== 'now') await batch(live, (await stored(live)).map(gone));
      const before = await stored(live);
      const outcomes = await copyLost(from, live, everything, { to });
      expect(outcomes).toEqual(when === 'now' ? [{ of: 'account being deleted', account }] : []);
      expect(outcomes.every(needsDecision)).toBe(true);
      expect(await stored(live)).toEqual(before);
    },
  );

  it('assign no item id or category id again', async () => {
    await batch(live, [gone(keys.counter(account)), gone(keys.account(account))]);
    await lose(1);
    const outcomes = await copyLost(from, live, everything, { to });
    expect(outcomes).toContainEqual({
      of: 'item ids',
      account,
      last: expect.toSatisfy((last) => last > 50 * hour && last < 50 * (2 + sinceThen())),
    });
    const { id } = await createIn(newContainer(live), testCall(account));
    expect(id).toBeGreaterThan(50 * hour);
    const category = await configureAccount(live.database.for(testCall(account)), account).addCategory('Next');
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
  const keyed = (key: string) => ({ key, sent: { name: key } });
  const create = (key: string) =>
    newContainer(live)({ ...testCall(account), user: 'importer' }).insertItem(itemFields({ name: key }), keyed(key));
  const requests = async (table: TestTable) => (await stored(table)).filter(({ sk }) => sk === 'REQUEST');

  it('replay the items that were put back, and create nothing twice', async () => {
    const { item: made } = await create('a');
    from = await copyOf(live);
    await batch(live, [gone(keys.item(account, made.id)), ...(await requests(live)).map(gone)]);
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
