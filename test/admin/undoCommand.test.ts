import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';
import { createItem } from '../../lib/catalog/createItem.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { Item } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { Database } from '../../lib/store/database/database.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { itemPartition } from '../../lib/store/records/keys.ts';
import { createTables, recorder } from '../support/table/changeStream.ts';
import { newContainer, openTestAccount, testCall } from '../support/table/testTable.ts';
import { hurry } from '../support/time/hurry.ts';
import { operatorOf } from './operator.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

afterEach(() => vi.unstubAllGlobals());

const from = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+/, '');

/** An account whose changes are recorded after each write of its users, and of the command. */
async function openCatalog() {
  const { table, changes } = await createTables();
  const account = await openTestAccount(table);
  const record = recorder(changes);
  const write = newContainer(table);
  const file = join(mkdtempSync(join(tmpdir(), 'undo-')), 'undo.jsonl');
  let known = new Map<number, StoredRecord>();
  let sequence = 0;
  let recording = Promise.resolve();

  const read = async () => {
    const own = (await table.records()).filter(({ pk }) => pk === itemPartition(account));
    return new Map(own.map((one) => [Number(one['id']), one]));
  };
  const items = async () => [...(await read()).values()].map((one) => readItem(one).item).sort((a, b) => a.id - b.id);
  /** Records what has changed since it was called last. */
  const recordWrites = () => {
    recording = recording.then(async () => {
      const now = await read();
      for (const id of new Set([...known.keys(), ...now.keys()])) {
        const [before, after] = [known.get(id), now.get(id)];
        const [OldImage, NewImage] = [before, after].map((one) => one && marshall(one));
        const { pk, sk } = NewImage ?? OldImage ?? {};
        const Keys = { pk, sk };
        const times = { SequenceNumber: String(++sequence), ApproximateCreationDateTime: Date.now() / 1_000 };
        const dynamodb = { Keys, OldImage, NewImage, ...times } as NonNullable<DynamoDBRecord['dynamodb']>;
        if (before?.['revision'] !== after?.['revision']) await record([{ dynamodb }]);
      }
      known = now;
    });
    return recording;
  };
  const as = async (user: string, body: JsonObject, id?: number): Promise<Item> => {
    const store = write({ ...testCall(account), user });
    const update = () => updateItem(store, { id: id ?? 0, body, revisions: undefined });
    const { item } = await (id === undefined ? createItem(store, body) : update());
    await recordWrites();
    return item;
  };
  const undo = async ({ typed = account, ...options }: Record<string, string> = {}) => {
    const send = async (command: { constructor: { name: string } }, ...rest: unknown[]) => {
      const answer = await Reflect.apply(table.client.send, table.client, [command, ...rest]);
      if (/^(Update|Put|TransactWrite)/.test(command.constructor.name)) await recordWrites();
      return answer;
    };
    const client = Object.assign(Object.create(table.client), { send });
    // Long waits are skipped.
    let skipped = 0;
    const { clock } = table.database;
    const sleep = async (time: number) => {
      if (time < 1_000) await clock.sleep(time);
      else skipped += time;
    };
    const impatient = { ...clock, sleep, now: () => clock.now() + skipped };
    const database = new Database(client, table.table, impatient);
    const program = operatorOf({ ...table, client, database }, async () => typed);
    const flags = ['dry-run'].filter((name) => name in options);
    const given = { account, user: 'ann', from, rate: '100000', ...(!('dry-run' in options) && { file }), ...options };
    const isGiven = ([name, value]: [string, unknown]) => !flags.includes(name) && value !== '';
    const named = Object.fromEntries(Object.entries(given).filter(isGiven));
    const command = ['item undo', ...flags.map((name) => `--${name}`)].join(' ');
    const output = await program.run(command, named).finally(() => {
      process.exitCode = 0;
    });
    return output as { text: string; data: { updates: number; report: { field: string; result: string }[] } };
  };
  const importFile = async (path: string) => {
    const { text } = await operatorOf(table).run(`item import ${path}`, { account, rate: '100000' });
    // Its changes are recorded while somebody waits for them.
    hurry(() => void recordWrites());
    return text;
  };
  /** Deletes a list of items, long after they were written. */
  const remove = (list: string, typed = account) => {
    const late = { ...table.database.clock, now: () => Date.now() + 60_000 };
    const database = new Database(table.client, table.table, late);
    const program = operatorOf({ ...table, database }, async () => typed);
    return program.run('item delete', { account, id: list, rate: '100000' });
  };
  return { account, as, items, undo, remove, file, importFile };
}

it('item undo puts back what a user has changed, lists what others wrote since, and twice does nothing', async () => {
  hurry();
  const { as, items, undo, file } = await openCatalog();
  const chair = await as('bob', { name: 'Chair', value: 10 });
  await as('ann', { value: 1, name: 'Wrong' }, chair.id);
  await as('eve', { value: 2 }, chair.id);
  const before = await items();
  const dry = await undo({ 'dry-run': '' });
  expect(await items()).toEqual(before);
  expect(dry.data.report).toMatchObject([
    { field: 'name', result: 'put back' },
    { field: 'value', result: 'changed since' },
  ]);
  expect(dry.text).toContain('"Chair"');
  const { data, text } = await undo();
  expect(data.updates).toBe(1);
  expect(text).toMatch(/changed since[\s\S]*by eve at/);
  expect(await items()).toMatchObject([{ name: 'Chair', value: 2, updatedBy: 'operator' }]);
  const notes = readFileSync(file, 'utf8').split('\n');
  expect(notes.filter((line) => line.includes('"now":"Wrong"'))).toHaveLength(1);
  const after = await items();
  for (const other of [{}, { file: `${file}.2` }]) expect((await undo(other)).data.updates).toBe(0);
  expect(await items()).toEqual(after);
});

it('item undo lists what they created, which item delete takes, unless somebody has written it', async () => {
  const { as, items, undo, remove, file } = await openCatalog();
  const kept = await as('bob', { name: 'Desk', sku: 'A' });
  await as('ann', { sku: null }, kept.id);
  for (const fields of [{ sku: 'A', pn: 'P' }, { active: false }, { sku: 'B' }, { sku: 'C' }])
    await as('ann', { name: 'Stray', ...fields });
  const [written, revived] = [kept.id + 3, kept.id + 4];
  await as('bob', { value: 1 }, written);
  const list = `${file}.created`;
  expect((await undo()).text).toContain(`The items that they created are in ${list}, for item delete.`);
  expect(readFileSync(list, 'utf8').split(',').map(Number).sort()).toEqual([written - 2, written - 1, revived]);
  await as('bob', { active: true }, revived);
  await expect(remove(list, '')).rejects.toThrow('Nothing was deleted');
  expect((await remove(list)).data).toMatchObject({ deleted: 2, left: [revived] });
  expect((await items()).map(({ id }) => id)).toEqual([kept.id, written, revived]);
  expect((await remove(list)).data).toMatchObject({ deleted: 0, left: [revived] });
  await expect(remove('no-such')).rejects.toThrow('The file no-such is not a list of ids');
});

it('item undo puts back only the chosen kinds, items and fields, and what was recorded by the given time', async () => {
  const { as, items, undo } = await openCatalog();
  const ids = [];
  for (const name of ['A', 'B']) ids.push((await as('bob', { name, value: 1 })).id);
  for (const id of ids) await as('ann', { value: 2, name: 'Wrong' }, id);
  await as('ann', { name: 'Stray' });
  const chosen = { item: String(ids[1]), field: 'value', kind: 'updated' };
  const earlier = await undo({ 'dry-run': '', ...chosen, from: '2026-01-01T00:00:00Z', to: from });
  expect(earlier.data.report).toEqual([]);
  await undo(chosen);
  expect((await items()).map(({ name, value, active }) => [name, value, active])).toEqual([
    ['Wrong', 2, true],
    ['Wrong', 1, true],
    ['Stray', expect.anything(), true],
  ]);
});

it('item undo says what it needs, and refuses the file of another undo', async () => {
  const { undo, file } = await openCatalog();
  await expect(undo({ 'dry-run': '', file })).rejects.toThrow("Give either '--file' or '--dry-run'");
  await expect(undo({ field: 'values' })).rejects.toThrow("Option '--field' must be a field");
  await expect(undo({ account: 'nobody' })).rejects.toThrow('There is no account nobody.');
  writeFileSync(file, 'name,value\n');
  await expect(undo()).rejects.toThrow('is not about this undo');
  expect(readFileSync(file, 'utf8')).toBe('name,value\n');
  await undo({ file: `${file}.2` });
  await expect(undo({ file: `${file}.2`, user: 'bob' })).rejects.toThrow('is not about this undo');
});

it('item undo takes back the last import of a file, and a second import brings its items back', async () => {
  const { account, as, items, undo, file, importFile } = await openCatalog();
  await as('operator', { name: 'Other' });
  const path = `${file}.csv`;
  writeFileSync(path, 'name,sku\nOak,O-1\nElm,E-1\n');
  const text = await importFile(path);
  expect(text).toContain(`item undo --import ${path} --account ${account}`);
  const whole = { user: '', from: '', file: '', import: path };
  expect((await undo(whole)).data.updates).toBe(2);
  const shown = async () => (await items()).map(({ name, active, sku }) => [name, active, sku]);
  expect((await shown()).sort()).toEqual([
    ['Elm', false, null],
    ['Oak', false, null],
    ['Other', true, null],
  ]);
  // Imports are told apart by the second.
  setAhead(1_100);
  expect(await importFile(path)).toMatch(/^2 updated\./);
  expect((await shown()).sort()).toEqual([
    ['Elm', true, 'E-1'],
    ['Oak', true, 'O-1'],
    ['Other', true, null],
  ]);
  expect((await undo(whole)).data.updates).toBe(2);
  expect((await items()).map(({ active }) => active)).toEqual([true, false, false]);
  // Both imports are undone by now.
  for (const path of [whole.import, `${file}.other`])
    await expect(undo({ ...whole, import: path })).rejects.toThrow('Nothing is known of an import');
  await expect(undo({ ...whole, user: 'ann' })).rejects.toThrow("Option '--import' stands for");
  await expect(undo({ user: '', from: '' })).rejects.toThrow("Give '--import', or '--user' and '--from'");
  setAhead(2_200);
  await importFile(path);
  // One that an earlier version has begun goes on with a progress of its own.
  writeFileSync(`${file}.own.progress`, '{"begun":"1"}');
  expect((await undo({ ...whole, file: `${file}.own` })).data.updates).toBe(2);
  expect(readFileSync(`${file}.own.progress`, 'utf8')).toContain('catalog.undo');
});
