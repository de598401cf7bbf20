import { describe, expect, it } from 'vitest';
import { findByIdentifier, findMatch } from '../../../../lib/store/catalog/findItems.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../../lib/store/records/keys.ts';
import { beginning, type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { itemFields, testCall } from '../../../support/table/testTable.ts';

const call = testCall('acme');
const sku = { name: 'sku', text: 'A' } as const;
const guard = (owner: number) => ({ Item: { item_id: owner } });
const item = (id: number, code: string | null) => ({
  Item: newItemRecord(call, { ...itemFields({ sku: code }), id, revision: 1, createdAt: 1 }),
});
const none = {};

/** The id that was found, and the keys that were read. */
async function found(replies: readonly Reply[]) {
  const { database, sent } = scripted(replies);
  const context = { ...testCall('acme'), deadline: database.clock.now() + 8_000 };
  const result = await findByIdentifier(database.for(context), sku);
  for (const { input } of sent) expect(input.ConsistentRead).toBe(true);
  return [result?.id, sent.map(({ input }) => input.Key)];
}
const guardKey = keys.guard('acme', 'sku', 'A');

describe('the item with an identifier', () => {
  it('is the one that the identifier moved to between the two reads', async () => {
    const passed = [guard(7), item(7, 'B'), guard(8), item(8, 'A')];
    expect(await found(passed)).toEqual([8, [guardKey, keys.item('acme', 7), guardKey, keys.item('acme', 8)]]);
    expect((await found([guard(7), item(7, null), none]))[0]).toBeUndefined();
  });

  it('is undefined if the guard keeps naming an item that does not exist, or has another identifier', async () => {
    expect((await found([guard(7), none, guard(7)]))[0]).toBeUndefined();
    expect((await found([guard(7), item(7, 'B'), guard(7)]))[0]).toBeUndefined();
  });
});

describe('the item that a row matches', () => {
  const second = beginning / 1_000;
  /** What was found, and the commands that were sent. */
  async function matched(...replies: readonly (readonly object[] | object)[]) {
    const { database, sent } = scripted(replies.map((reply) => (Array.isArray(reply) ? { Responses: reply } : reply)));
    const context = { ...call, deadline: database.clock.now() + 8_000 };
    const found = await findMatch(database.for(context), sku, 'k');
    return [typeof found === 'object' ? found.id : found, sent.map(({ name }) => name)];
  }

  it('is found by its guard, which is read together with the key of the row, each time', async () => {
    expect(await matched([guard(7), none], item(7, 'A'))).toEqual([7, ['TransactGet', 'Get']]);
    expect(await matched([none, none])).toEqual([undefined, ['TransactGet']]);
    const moved = [[guard(7), none], item(7, 'B'), [guard(8), { Item: { expires_at: second + 1 } }]];
    expect(await matched(...moved)).toEqual(['created', ['TransactGet', 'Get', 'TransactGet']]);
  });

  it('is none while the row is remembered as a create', async () => {
    const key = (expires_at: number) => [guard(7), { Item: { expires_at } }];
    expect((await matched(key(second + 1)))[0]).toBe('created');
    expect((await matched(key(second), item(7, 'A')))[0]).toBe(7);
  });
});
