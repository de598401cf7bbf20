import { describe, expect, it } from 'vitest';
import type { ListQuery } from '../../../../lib/catalog/catalogStore.ts';
import { listedName } from '../../../../lib/item/listedName.ts';
import { listPage } from '../../../../lib/store/catalog/findItems.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../../../lib/store/records/keys.ts';
import { resolved } from '../../../support/standIns/resolved.ts';
import { type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { itemFields, testCall } from '../../../support/table/testTable.ts';

const call = testCall('acme');
const entry = (id: number, name: string) => ({ ...keys.item('acme', id), ...listKey('acme', id, listedName(name)) });
const index = (entries: readonly object[], isLast = false) => ({
  Items: entries,
  LastEvaluatedKey: isLast ? undefined : entries.at(-1),
});
const record = (id: number, name: string) =>
  newItemRecord(call, { ...itemFields({ name }), id, revision: 1, createdAt: 1 });
const items = (...records: readonly object[]) => ({ Responses: { 'table-1': records } });

const everything: ListQuery = {
  active: true,
  category: undefined,
  type: undefined,
  search: '',
  isDescending: false,
  limit: 2,
  after: undefined,
};

async function list(replies: readonly Reply[], query: Partial<ListQuery> = {}) {
  const { database, sent } = scripted(replies);
  const context = { ...testCall('acme'), deadline: database.clock.now() + 8_000 };
  const page = await listPage(database.for(context), { ...everything, ...query });
  return { names: page.items.map(({ item }) => item.name), next: page.next, sent, page };
}

describe('a page of a list', () => {
  it('takes two requests: for one entry more than the page has, and for its items', async () => {
    const [a, b, c] = [entry(1, 'A'), entry(2, 'B'), entry(3, 'C')];
    const { names, next, sent } = await list([index([a, b, c]), items(record(2, 'B'), record(1, 'A'))]);
    expect([names, next]).toEqual([['A', 'B'], { name: 'b', id: 2 }]);
    expect(sent.map(({ name }) => name)).toEqual(['Query', 'BatchGet']);
    expect(resolved(sent[0]?.input)).toEqual({
      TableName: 'table-1',
      IndexName: 'by_name',
      Limit: 3,
      KeyConditionExpression: 'list_pk = "ACCOUNT#acme#NAMES"',
      FilterExpression: 'active = true',
      ScanIndexForward: true,
    });
    expect(sent[1]?.input.RequestItems['table-1']).toEqual({
      Keys: [keys.item('acme', 1), keys.item('acme', 2)],
      ConsistentRead: true,
    });
  });

  it('begins after a position, which need not have an item', async () => {
    const after = { name: 'b', id: 99 };
    const { sent } = await list([index([], true)], { after, active: undefined });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.input.ExclusiveStartKey).toEqual(entry(99, 'B'));
    expect(sent[0]?.input).not.toHaveProperty('FilterExpression');
  });

  it('queries the index by the beginning of the listed name, and filters by the index’s fields', async () => {
    const search = `ÉCRAN ${'\ufdfa'.repeat(140)}`;
    const { sent } = await list([index([], true)], { search, category: 3, type: 'service' });
    expect(resolved(sent[0]?.input)).toMatchObject({
      KeyConditionExpression: `list_pk = "ACCOUNT#acme#NAMES" AND begins_with(list_sk, "${listedName(search)}")`,
      FilterExpression: 'active = true AND category = 3 AND type = "service"',
    });
    // Only marks, which folding removes: nothing is left to search for.
    const all = await list([index([], true)], { search: '\u0301' });
    expect(resolved(all.sent[0]?.input)).toMatchObject({ KeyConditionExpression: 'list_pk = "ACCOUNT#acme#NAMES"' });
  });

  it('continues with ever larger queries if entries are filtered out, and stops when it is full', async () => {
    const [a, z] = [entry(1, 'A'), entry(26, 'Z')];
    const full = [
      index([a]),
      { Items: [], LastEvaluatedKey: entry(5, 'E') },
      index([z, entry(27, 'Z'), entry(28, 'Z')]),
    ];
    const { names, next, sent } = await list([...full, items(record(1, 'A'), record(26, 'Z'))]);
    expect([names, next]).toEqual([['A', 'Z'], { name: 'z', id: 26 }]);
    expect(sent.map(({ input }) => input.Limit)).toEqual([3, 12, 48, undefined]);
    expect(sent.map(({ input }) => input.ExclusiveStartKey)).toEqual([undefined, a, entry(5, 'E'), undefined]);
  });

  it('continues even if it is just full, to find out whether it is the last', async () => {
    const full = { Items: [entry(1, 'A'), entry(2, 'B')], LastEvaluatedKey: entry(3, 'C') };
    const { names, next } = await list([full, index([], true), items(record(1, 'A'), record(2, 'B'))]);
    expect([names, next]).toEqual([['A', 'B'], undefined]);
  });

  it('is short, with a cursor, if too many entries are filtered out', async () => {
    const nothing = (id: number) => ({ Items: [], LastEvaluatedKey: entry(id, 'N') });
    const { names, next, sent } = await list([nothing(1), nothing(2), nothing(3), nothing(4)]);
    expect([names, next]).toEqual([[], { name: 'n', id: 4 }]);
    expect(sent).toHaveLength(4);
  });

  it('has an item once that is renamed between two queries', async () => {
    const first = { Items: [entry(1, 'A')], LastEvaluatedKey: entry(5, 'E') };
    const { page, sent } = await list([first, index([entry(1, 'Z')], true), items(record(1, 'Z'))]);
    // At its first position: a page that continued after the second would skip the items in between.
    expect(page.items).toMatchObject([{ item: { name: 'Z' }, position: { name: 'a', id: 1 } }]);
    expect(sent.at(-1)?.input.RequestItems['table-1'].Keys).toEqual([keys.item('acme', 1)]);
  });

  it('never reads another account’s items, even if the index names one', async () => {
    const foreign = { ...keys.item('other', 1), ...listKey('acme', 1, 'a') };
    const { sent } = await list([index([foreign], true), items()]);
    expect(sent[1]?.input.RequestItems['table-1'].Keys).toEqual([keys.item('acme', 1)]);
  });

  it('fails on an entry that this service cannot have written', async () => {
    await expect(list([index([{ ...entry(1, 'A'), list_sk: 'a' }], true)])).rejects.toThrow('list_sk');
  });
});
