import { describe, expect, it } from 'vitest';
import { findByIdentifier } from '../../../../lib/store/catalog/findItem.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../../lib/store/records/keys.ts';
import { type Reply, scripted } from '../../../support/scripted.ts';
import { itemFields, testCall } from '../../../support/testTable.ts';

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
  it('is found by its guard', async () => {
    expect(await found([guard(7), item(7, 'A')])).toEqual([7, [guardKey, keys.item('acme', 7)]]);
  });

  it('is undefined without a guard', async () => {
    expect(await found([none])).toEqual([undefined, [guardKey]]);
  });

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
