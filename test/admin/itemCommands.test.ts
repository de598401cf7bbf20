import { describe, expect, inject, it } from 'vitest';
import { createItem } from '../../lib/catalog/createItem.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { verifier } from '../support/damage/verifier.ts';
import { root, serviceFolder, startProgram } from '../support/programs/program.ts';
import { batch, fill, gone, item, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, newContainer, testCall } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const created = Date.now() - 25 * 60 * 60 * 1_000;

/** As if the item had been created and written some time ago. */
const aged = (id: number, fields: JsonObject = {}) => ({
  ...item(account, id, fields),
  created_at: created,
  written_at: created,
  sent_at: created,
});

const table = await createTestTable();
const account = await fill(table);
const { run } = operatorOf(table);
await batch(table, [put(aged(1)), put(aged(2)), put(aged(3))]);

describe('item show', () => {
  it.each([
    ['id', '1'],
    ['sku', ' S1'],
    ['pn', 'P1'],
  ])('finds an item by its %s, and shows who wrote it last', async (option, text) => {
    const { data, text: shown } = await run('item show', { account, [option]: text });
    expect(data).toMatchObject({
      id: 1,
      sku: 'S1',
      cost: 0,
      category_name: 'General',
      revision: 1,
      written_by: 'user-1',
      written_at: new Date(created).toISOString(),
      guards: [
        { name: 'sku', text: 'S1', item: 1 },
        { name: 'pn', text: 'P1', item: 1 },
      ],
    });
    expect(shown).toMatch(/^written_by {2,}user-1$/m);
    expect(shown).toMatch(/^guard of the sku {2,}item 1$/m);
  });

  it('shows a missing guard', async () => {
    await batch(table, [gone(keys.guard(account, 'pn', 'P2'))]);
    expect((await run('item show', { account, id: '2' })).text).toMatch(/^guard of the pn {2,}missing$/m);
  });

  it.each([
    [{ id: '999' }, /has no item 999\.$/],
    [{ sku: 'nobody' }, /^No item of the account .* has the sku nobody\.$/],
    [{ sku: ' ' }, /^Option '--sku' must not be blank;/],
    [{ sku: 'A', pn: 'B' }, /^Give one of '--id', '--sku', '--pn';/],
    [{}, /^Give one of/],
  ])('fails with one sentence for %j', async (options, message) => {
    await expect(run('item show', { account, ...options })).rejects.toThrow(message);
  });
});

describe('item delete', () => {
  const deleting = (id: number, answer = String(id)) =>
    operatorOf(table, async () => answer).run('item delete', { account, id: String(id) });

  it('deletes an item with its guards, whose sku and pn are then free', async () => {
    expect((await deleting(3)).data).toMatchObject({ deleted: { id: 3, sku: 'S3' } });
    const left = await stored(table);
    expect(JSON.stringify(left)).not.toContain('S3"');
    expect(JSON.stringify(left)).not.toContain('P3"');
    await expect(deleting(3)).rejects.toThrow('has no item 3.');
    const { item: next } = await createItem(newContainer(table)(testCall(account)), {
      name: 'New',
      sku: 'S3',
      pn: 'P3',
    });
    expect(next).toMatchObject({ sku: 'S3', pn: 'P3' });
  });

  it('asks on standard error for the id, and reads it from standard input', async () => {
    await batch(table, [put(aged(6))]);
    const cwd = serviceFolder({ table: table.table, dynamodb: inject('dynamodb') });
    const args = ['item', 'delete', '--account', account, '--id', '6'];
    const { ended, output } = startProgram(process.execPath, [`${root}admin/admin.ts`, ...args], {
      cwd,
      input: '6\n',
    });
    expect(await ended).toBe(0);
    expect(output.stderr).toMatch(/^guard of the pn {2,}item 6$[\s\S]*Type the id to delete this item: $/m);
    expect(output.stdout).toBe(
      'Item 6 was deleted. Its changes still show its values until they expire. It cannot be restored.\n',
    );
  });

  it('does nothing unless the id is typed', async () => {
    const before = await stored(table);
    for (const answer of ['', 'yes', '11']) await expect(deleting(1, answer)).rejects.toThrow('Nothing was deleted');
    expect(await stored(table)).toEqual(before);
  });

  it('asks only with the environment and its AWS account, unless it is the service on this machine', async () => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return '';
    };
    for (const env of [{ env: 'prod' }, {}])
      await expect(operatorOf(table, ask).run('item delete', { account, id: '1', ...env })).rejects.toThrow('Nothing');
    const [deployed = '', local] = questions;
    expect(deployed).toBe(`This is prod, in the AWS account 111122223333.\n${local}`);
  });

  it("shows and leaves another item's guard", async () => {
    await batch(table, [put(aged(4)), put({ ...keys.guard(account, 'sku', 'S4'), item_id: 5 })]);
    const guards = expect.arrayContaining([{ name: 'sku', text: 'S4', item: 5 }]);
    expect((await run('item show', { account, id: '4' })).data).toMatchObject({ guards });
    await deleting(4);
    expect(await stored(table)).toContainEqual({ ...keys.guard(account, 'sku', 'S4'), item_id: 5 });
  });

  it('deletes nothing if the item was written since it was shown, or a moment before', async () => {
    await batch(table, [put(aged(5))]);
    const ask = async () => {
      await updateItem(newContainer(table)(testCall(account)), { id: 5, body: { value: 5 }, revisions: undefined });
      return '5';
    };
    await expect(operatorOf(table, ask).run('item delete', { account, id: '5' })).rejects.toThrow(
      'Item 5 was changed by somebody else meanwhile. Check it again.',
    );
    await expect(deleting(5)).rejects.toThrow('Item 5 was written a moment ago. Try again in 15 s.');
    expect((await run('item show', { account, id: '5' })).data).toMatchObject({ value: 5 });
  });

  it("also deletes the record of its create's idempotency key, so that no repeat is answered with it", async () => {
    const other = await createTestTable();
    const own = await fill(other);
    const now = Date.now();
    const { item: one } = await createItem(newContainer(other)(testCall(own)), { name: 'Keyed', sku: 'K' }, 'key-1');
    const record = (await stored(other)).find(({ pk, id }) => pk === keys.item(own, 0).pk && id === one.id) ?? {};
    // Nearly as long ago as such a record is kept.
    const times = { created_at: now - 23.9 * 3_600_000, written_at: now - 60_000, sent_at: now - 60_000 };
    await batch(other, [put({ ...record, ...times })]);
    await operatorOf(other, async () => String(one.id)).run('item delete', { account: own, id: String(one.id) });
    expect((await stored(other)).filter(({ sk }) => sk === 'REQUEST')).toEqual([]);
    expect(await verifier(other).verify()).toEqual([]);
  });
});
