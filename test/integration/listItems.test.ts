import { beforeAll, describe, expect, it } from 'vitest';
import type { ListPosition } from '../../lib/catalog/catalogStore.ts';
import { type ItemQuery, listItems } from '../../lib/catalog/listItems.ts';
import { encodeItemCursor, parseCursor } from '../../lib/http/cursor.ts';
import type { ItemFields } from '../../lib/item/fields.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import { defaultQuery } from '../support/items/defaultQuery.ts';
import { change } from '../support/items/itemChange.ts';
import { batch, counter, now, put } from '../support/table/storedRecords.ts';
import {
  createTestTable,
  itemFields,
  newContainer,
  newReader,
  openTestAccount,
  type TestTable,
  testCall,
  writerOf,
} from '../support/table/testTable.ts';
import { Random } from '../support/time/random.ts';

const table = await createTestTable();
const store = newContainer(table);
const reader = newReader(table);

/** Reads all pages of a list. `between` can do something between them. */
async function pages(account: string, query: Partial<ItemQuery>, between = async () => {}, from = reader) {
  const all: (readonly { readonly id: number; readonly name: string; readonly active: boolean }[])[] = [];
  let after: ListPosition | undefined;
  do {
    const page = await listItems(from(testCall(account)), { ...defaultQuery, ...query, after });
    all.push(page.items.map((listed) => listed.item));
    after = page.next;
    await between();
  } while (after !== undefined);
  return all;
}
const idsOf = (all: Awaited<ReturnType<typeof pages>>) => all.flat().map(({ id }) => id);

describe('a list of 1,000 items', () => {
  const count = 1_000;
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  /** Blocks of inactive items, some longer than a page, lie between the active ones. */
  const isActive = (id: number) => id % 7 !== 0 && (id < 300 || id > 460);
  /** Not in the order of their ids. */
  const name = (id: number) => `Item ${String((id * 377) % count).padStart(4, '0')}`;
  let account: string;

  const fill = async (): Promise<string> => {
    const opened = await openTestAccount(table);
    const records = ids.map((id) => listed(opened, id, { name: name(id), active: isActive(id) }));
    await batch(table, [...records, counter(opened, count)].map(put));
    return opened;
  };
  beforeAll(async () => {
    account = await fill();
  });

  it.each([1, 7, 50, 100])('returns each active item once, by name, %i at a time', async (limit) => {
    const all = await pages(account, { limit, search: limit === 1 ? 'item 00' : '' });
    const shown = ids.filter((id) => isActive(id) && (limit > 1 || name(id).startsWith('Item 00')));
    expect(all.flat().map((one) => one.name)).toEqual(shown.map(name).toSorted());
    for (const page of all) expect(page.length).toBeLessThanOrEqual(limit);
  });

  it.each([7, 100])('returns each inactive item once, in descending order, %i at a time', async (limit) => {
    const all = await pages(account, { limit, active: false, isDescending: true });
    const inactive = ids.filter((id) => !isActive(id)).map(name);
    expect(all.flat().map((one) => one.name)).toEqual(inactive.toSorted().toReversed());
  });

  it.each([false, true])(
    'continues at the same item in a version that takes the order for a part of the name',
    async (isDescending) => {
      const { items, next } = await listItems(reader(testCall(account)), { ...defaultQuery, isDescending, limit: 3 });
      const after = parseCursor(encodeItemCursor(next ?? { name: '', id: 0 }, isDescending));
      const query = { ...defaultQuery, isDescending, limit: 3 };
      expect(items.length).toBe(3);
      expect(await listItems(reader(testCall(account)), { ...query, after })).toEqual(
        await listItems(reader(testCall(account)), { ...query, after: next }),
      );
    },
  );

  it('returns an unchanged item once, while others are created, renamed and made inactive', async () => {
    const busy = await fill();
    const random = new Random(7);
    const touched = new Set<number>();
    const untouched = ids.filter((id) => id % 3 === 0);
    const disturb = async () => {
      await writerOf(store, busy).create({ name: name(random.below(count)) });
      for (let write = 0; write < 6; write += 1) {
        const id = 1 + random.below(count);
        if (untouched.includes(id)) continue;
        touched.add(id);
        const fields = random.chance(0.5) ? { name: name(random.below(count)) } : { active: random.chance(0.5) };
        await writerOf(store, busy).update(id, change(fields));
      }
    };
    for (const query of [{}, { active: undefined }, { limit: 30 }]) {
      const all = await pages(busy, query, disturb);
      const seen = idsOf(all).filter((id) => untouched.includes(id));
      const due = untouched.filter((id) => 'active' in query || isActive(id));
      expect(seen.toSorted((a, b) => a - b)).toEqual(due);
      for (const page of all) expect(new Set(page.map(({ id }) => id)).size).toBe(page.length);
    }
    expect(touched.size).toBeGreaterThan(100);
  });
});

/** An item as a create stores it. */
const listed = (account: string, id: number, fields: Partial<ItemFields>) =>
  newItemRecord(testCall(account), { ...itemFields(fields), id, revision: 1, createdAt: now });

describe('a list returns', () => {
  const open = async () => {
    const account = await openTestAccount(table);
    return { account, ...writerOf(store, account) };
  };

  it('names that begin with a search that is longer than a listed name', async () => {
    const { account, create } = await open();
    const long = '\ufdfa'.repeat(100);
    for (const name of [long, `${long.slice(0, 60)}x`]) await create({ name });
    const found = async (search: string) => (await pages(account, { search })).flat().map((one) => one.name);
    expect(await found(long.slice(0, 60))).toHaveLength(2);
    expect(await found(long)).toEqual([long]);
    expect(await found(`${long}x`)).toEqual([]);
  });

  it('a renamed item in its new place, even if it was stored before lists existed', async () => {
    const { account, create, update } = await open();
    const { list_pk: _pk, list_sk: _sk, ...older } = listed(account, 5, { name: 'Old' });
    await batch(table, [put(older)]);
    const created = await create({ name: 'B' });
    expect(idsOf(await pages(account, {}))).toEqual([created.id]);
    await update(5, change({ name: 'C' }));
    expect(idsOf(await pages(account, {}))).toEqual([created.id, 5]);
    await update(5, change({ name: 'A', sku: 'S' }));
    expect(idsOf(await pages(account, {}))).toEqual([5, created.id]);
  });

  it('current items, even if the index lags behind', async () => {
    const { account, create, update } = await open();
    const created = [];
    for (const name of ['A', 'B', 'C', 'D', 'E']) created.push(await create({ name }));
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = created.map(({ id }) => id);
    const lagging = newReader({ client: withStaleIndex(table.client), table: table.table });
    const shown = async () => {
      const { items } = await listItems(lagging(testCall(account)), { ...defaultQuery, category: 1, type: 'product' });
      return items.map(({ item }) => [item.name, item.value]);
    };
    expect(await shown()).toHaveLength(5);
    await update(a, change({ active: false }));
    await update(b, change({ name: 'Renamed' }));
    await update(c, change({ value: 7 }));
    await update(d, change({ category: 2 }));
    await update(e, change({ type: 'service' }));
    expect(await shown()).toEqual([
      ['Renamed', 0],
      ['C', 7],
    ]);
  });
});

/** A client to which the index always answers as it did at first. */
function withStaleIndex(client: TestTable['client']): Pick<TestTable['client'], 'send'> {
  let first: unknown;
  const send = async (command: { input: { IndexName?: string } }, ...rest: unknown[]) => {
    const output = await Reflect.apply(client.send, client, [command, ...rest]);
    if (command.input.IndexName === undefined) return output;
    first ??= output;
    return first;
  };
  return { send: send as TestTable['client']['send'] };
}
