import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CopyOutcome } from '../../../admin/restore/copyOutcome.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { readItem } from '../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { everything, ofItems, openRestored, type Restored, recordOf, to } from '../../support/table/openRestored.ts';
import { copyLost, copyOf } from '../../support/table/restoredTables.ts';
import { batch, gone, put, stored } from '../../support/table/storedRecords.ts';
import {
  createIn,
  itemFields,
  newContainer,
  openTestAccount,
  recording,
  testCall,
} from '../../support/table/testTable.ts';

/** Those of the current test, opened before it. */
let { live, from, account, itemOf, update, lose, expectSound } = {} as Restored;
const open = async () => {
  ({ live, from, account, itemOf, update, lose, expectSound } = await openRestored());
};

describe('copying back', () => {
  let before: JsonObject[];
  let outcomes: CopyOutcome[];
  let after: JsonObject[];

  beforeAll(async () => {
    await open();
    await update(5, { value: 99 });
    await createIn(newContainer(live), testCall(account), { name: 'New', sku: 'new' });
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

  it('writes nothing in a second run', async () => {
    expect(ofItems(await copyLost(from, live, everything, { to }))).toEqual({ 3: 'damaged', 5: 'kept' });
    expect(await stored(live)).toEqual(after);
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
    await createIn(newContainer(live), testCall(account), { pn: 'P2' });
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
    await createIn(newContainer(live), testCall(other), { sku: 'S1' });
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
});
