import { isDeepStrictEqual } from 'node:util';
import type { WriteRequest } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../admin/verification/verifyTable.ts';
import type { ItemFields } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { verifier } from '../support/damage/verifier.ts';
import { change } from '../support/items/itemChange.ts';
import { batch, fill, gone, guard, item, now, put, stored } from '../support/table/storedRecords.ts';
import {
  createTestTable,
  newContainer,
  openTestCatalog,
  type TestTable,
  writerOf,
} from '../support/table/testTable.ts';

const update = (table: TestTable, account: string, id: number, fields: Partial<ItemFields>) =>
  writerOf(newContainer(table), account).update(id, change(fields));

describe('does not repair what a request has changed since it was found:', () => {
  let { table, account, create } = {} as Awaited<ReturnType<typeof openTestCatalog>>;

  beforeEach(async () => {
    ({ table, account, create } = await openTestCatalog());
  });

  let id: number;
  let code: string;
  let free: number;
  let finding: Finding;
  let turn = 0;

  /** An item with a code, damage to it, and its finding. */
  async function found(damage: (owner: number, sku: string) => WriteRequest[]): Promise<void> {
    code = `race${turn++}`;
    id = (await create({ sku: code })).id;
    // A new container takes the next ten ids, so that the counter is at 20.
    free = (await writerOf(newContainer(table), account).create()).id;
    await batch(table, damage(id, code));
    const [only, ...others] = await verifier(table).verify();
    expect(others).toEqual([]);
    finding = only as Finding;
  }

  /** Repairs, and returns what that has changed. */
  async function repaired() {
    const before = await stored(table);
    const outcome = await verifier(table).repair(finding);
    return { ...outcome, isSame: isDeepStrictEqual(await stored(table), before) };
  }

  it('the item has freed the identifier without a guard', async () => {
    await found((_, sku) => [gone(keys.guard(account, 'sku', sku))]);
    await update(table, account, id, { sku: null });
    expect(await repaired()).toEqual({ repaired: [], remaining: undefined, isSame: true });
  });

  it('the item has changed in another way, and its guard is put at the new revision', async () => {
    await found((_, sku) => [gone(keys.guard(account, 'sku', sku))]);
    await update(table, account, id, { name: 'Later' });
    const { repaired: done, remaining } = await repaired();
    expect([done.map(({ kind }) => kind), remaining]).toEqual([['guard missing'], undefined]);
    expect(await verifier(table).verify()).toEqual([]);
  });

  it.each<[string, () => WriteRequest[]]>([
    ['without a guard', () => [gone(keys.guard(account, 'sku', code))]],
    ['whose guard named it', () => [put(guard(account, 'sku', code, free))]],
  ])('another item has taken the identifier %s: both have it, and a person must decide', async (_case, damage) => {
    await found(damage);
    await update(table, account, free, { sku: code });
    const remaining = { kind: 'duplicate identifier', owner: free };
    expect(await repaired()).toMatchObject({ repaired: [], remaining, isSame: true });
    await update(table, account, id, { sku: null });
    expect(await verifier(table).verify()).toEqual([]);
  });

  it('the owner of an orphaned guard has taken the identifier', async () => {
    await found((owner) => [put(guard(account, 'pn', 'late', owner))]);
    await update(table, account, id, { pn: 'late' });
    expect(await repaired()).toEqual({ repaired: [], remaining: undefined, isSame: true });
  });

  it('the item named by an orphaned guard has been created', async () => {
    await found(() => [put(guard(account, 'pn', 'soon', 1_500_000))]);
    await batch(table, [
      put(item(account, 1_500_000, { pn: 'soon', sku: 'soon' })),
      put(guard(account, 'sku', 'soon', 1_500_000)),
    ]);
    expect(await repaired()).toEqual({ repaired: [], remaining: undefined, isSame: true });
  });

  it('the item has freed the identifier while its guard names another item', async () => {
    await found((_, sku) => [put(guard(account, 'sku', sku, free))]);
    await update(table, account, id, { sku: null });
    expect(await repaired()).toMatchObject({ repaired: [{ kind: 'guard orphaned', owner: free }] });
    expect(await verifier(table).verify()).toEqual([]);
  });

  it('the guard names a third item, which does not have the identifier either', async () => {
    await found((_, sku) => [put(guard(account, 'sku', sku, free))]);
    await batch(table, [put(guard(account, 'sku', code, 1_500_000))]);
    expect(await repaired()).toMatchObject({ repaired: [{ kind: 'guard mismatched', owner: 1_500_000 }] });
  });

  /** An item without identifiers, below the counter. */
  const plain = (fields: JsonObject) => item(account, 20, fields);

  it.each<[string, () => WriteRequest[], () => WriteRequest[]]>([
    [
      'the item has been renamed, and listed under its new name',
      () => [put(plain({ list_sk: 'other' }))],
      () => [put(plain({ name: 'Later', revision: 2 }))],
    ],
    [
      'the item has another revision',
      () => [put(plain({ revision: Number.MAX_SAFE_INTEGER, written_at: now - 60_000 }))],
      () => [put(plain({ revision: 7, written_at: now - 60_000 }))],
    ],
  ])('%s', async (_case, damage, change) => {
    await found(damage);
    await batch(table, change());
    expect(await repaired()).toEqual({ repaired: [], remaining: undefined, isSame: true });
  });
});

describe('an item with a revision that has no next', () => {
  it('gets one that no client has seen, and can be updated again, but not while it is being updated', async () => {
    const table = await createTestTable();
    const account = await fill(table);
    const last = Number.MAX_SAFE_INTEGER;
    const high = (id: number) => item(account, id, { revision: last, written_at: now - 60_000 });
    await batch(table, [put(high(1)), put(high(2))]);
    const rename = (id: number) => update(table, account, id, { name: 'New' });
    // Each is written, but then the item cannot be read any more.
    await expect(rename(1)).rejects.toThrow();
    await expect(rename(1)).rejects.toThrow();
    const { verify, repair } = verifier(table);
    const [first, second, ...others] = await verify();
    expect(others).toEqual([]);
    expect(first).toEqual({ kind: 'revision too high', key: keys.item(account, 1), revision: last + 1 });
    expect(second).toEqual({ kind: 'revision too high', key: keys.item(account, 2), revision: last });
    expect(await repair(second as Finding)).toEqual({ repaired: [second], remaining: undefined });
    const writtenBefore = (milliseconds: number) =>
      table.client.send(
        new UpdateCommand({
          TableName: table.table,
          Key: keys.item(account, 1),
          UpdateExpression: 'SET written_at = :earlier',
          ExpressionAttributeValues: { ':earlier': Date.now() - milliseconds },
        }),
      );
    await writtenBefore(5_000);
    expect(await repair(first as Finding)).toEqual({ repaired: [], remaining: first });
    await writtenBefore(15_001);
    expect(await repair(first as Finding)).toEqual({ repaired: [first], remaining: undefined });
    expect(await verify()).toEqual([]);
    for (const id of [1, 2]) {
      const { revision } = await rename(id);
      expect(revision).toBeGreaterThan(now);
      expect(revision).toBeLessThanOrEqual(Date.now() + 1);
    }
  });
});
