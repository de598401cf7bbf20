import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { Database } from '../../lib/store/database/database.ts';
import { itemPartition, keys } from '../../lib/store/records/keys.ts';
import { verifier } from '../support/damage/verifier.ts';
import { runAdmin, serviceFolder } from '../support/programs/program.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';
import { batch, gone, item, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, newContainer, openTestAccount, testCall } from '../support/table/testTable.ts';
import { hurry } from '../support/time/hurry.ts';
import { operatorOf } from './operator.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

afterEach(() => vi.unstubAllGlobals());

const folder = temporaryFolder();

const table = await createTestTable();
const operator = operatorOf(table);
/** That of the current test. */
let account: string;
beforeEach(async () => {
  account = await openTestAccount(table);
});
const run: typeof operator.run = (name, options) => operator.run(name, { rate: '100000', ...options });

const newFile = (text: string): string => {
  const path = join(folder, `${crypto.randomUUID()}.csv`);
  writeFileSync(path, text);
  return path;
};

/** The fields of an account's items that requests can set, by name. */
async function catalogOf(account: string, of = table): Promise<JsonObject[]> {
  const items = (await stored(of)).filter(({ pk }) => pk === itemPartition(account));
  const fields = 'name type category value qty unit description active cost tax sku pn tag metadata'.split(' ');
  return items
    .map((item) => Object.fromEntries(fields.map((name) => [name, item[name] ?? null])))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

const namesIn = async (account: string) => (await catalogOf(account)).map(({ name }) => name);

const names = (count: number) => Array.from({ length: count }, (_, index) => `Item ${index}`);
const csv = (count: number) =>
  `name,sku,value\n${names(count)
    .map((name, index) => `${name},S${index},${index}\n`)
    .join('')}`;

/** Updates all items of an account as a caller does. */
async function updateAll(account: string, body: JsonObject): Promise<void> {
  const items = (await stored(table)).filter(({ pk }) => pk === itemPartition(account));
  for (const { id } of items)
    await updateItem(newContainer(table)(testCall(account)), { id: Number(id), body, revisions: undefined });
}

/** An operator who is killed at a write, the answer of which is lost. */
function killedAt(write: number) {
  let left = write;
  const send = async (...args: [{ constructor: { name: string } }]) => {
    const isWrite = /^(Update|Put|TransactWrite)/.test(args[0].constructor.name);
    if (isWrite) left -= 1;
    const isLast = isWrite && left === 0;
    const answer = (left > 0 || isLast) && (await Reflect.apply(table.client.send, table.client, args));
    if (left > 0) return answer;
    throw new Error('killed');
  };
  return operatorOf({ ...table, database: new Database({ send: send as never }, table.table) });
}

describe('item import', () => {
  it('creates an item from each row, and rejects invalid ones, which can be fixed and imported', async () => {
    const broken = [
      ',X1,1',
      'Broken,X2,1.2.3',
      'Broken,X3,-1',
      'Broken,S1,1',
      'Broken,X4,1,more',
      `Broken,${'x'.repeat(46)},1`,
      'Broken,X5,100000000',
    ];
    const path = newFile(`${csv(3)}${broken.join('\n')}\n`);
    const { text, data } = await run(`item import ${path}`, { account });
    expect(data).toMatchObject({ created: 3, updated: 0, rejected: 7, doneBefore: 0 });
    expect(text).toContain('Line 8: sku is also in line 3.');
    for (const reason of [
      'Line 5: name is required.',
      'Line 7, 11: value must be a number from 0 to 99999999.9999.',
      'Line 9: row has 4 cells instead of 3: a cell with a comma in it, such as 12,50, needs quotes.',
    ])
      expect(text).toContain(reason);
    expect(await namesIn(account)).toHaveLength(3);
    const rejects = readFileSync(`${path}.rejects`, 'utf8');
    expect(rejects).toContain('"Broken","X2","1.2.3","6","value","');
    const fixed = newFile(
      rejects
        .replaceAll(/"(1\.2\.3|-1|100000000|x{46})"/g, '"2"')
        .replace('"","X1"', '"Fixed","X1"')
        .replace('"S1"', '"X6"'),
    );
    expect((await run(`item import ${fixed}`, { account })).data).toMatchObject({ created: 7, rejected: 0 });
    expect((await run(`item import ${fixed}`, { account })).data).toMatchObject({ created: 0, doneBefore: 7 });
    expect(await verifier(table).verify()).toEqual([]);
  });

  it('resumes after a kill at any write, and writes every row once', async () => {
    hurry();
    await run(`item import ${newFile(csv(3))}`, { account });
    const path = newFile(`${csv(3).replaceAll(/,\d+$/gm, ',1000')}New,,1\nNew,,2\nNew,N,3\n`);
    let kills = 0;
    for (; kills < 50; kills += 1) {
      const options = { account, rate: '100000', 'update-by': 'sku' };
      // A row that fails again and again is rejected, and sent again by the next import.
      const { data } = await killedAt(1 + (kills % 3))
        .run(`item import ${path}`, options)
        .catch(() => ({ data: { rejected: 1 } }));
      if ((data as { rejected: number }).rejected === 0) break;
    }
    expect(kills).toBeGreaterThan(4);
    const values = (await catalogOf(account)).map(({ value }) => value);
    expect(values.sort()).toEqual([1, 1000, 1000, 1000, 2, 3]);
    const own = (await stored(table)).filter(({ pk }) => pk === itemPartition(account));
    expect(own.map(({ revision }) => revision).sort()).toEqual([1, 1, 1, 2, 2, 2]);
  });

  it('changes the items of an edited export, unless somebody else has since, and creates none', async () => {
    await run(`item import ${newFile('name,value\nA,77\nB,1\n')}`, { account });
    const path = newFile('');
    await run(`item export ${path}`, { account });
    await updateAll(account, { description: 'Changed since' });
    await expect(run(`item import ${path}`, { account })).rejects.toThrow('  --update-by id   change these items');
    const stale = await run(`item import ${path}`, { account, 'update-by': 'id' });
    expect(stale.data).toMatchObject({ created: 0, updated: 0, rejected: 2 });
    expect(stale.text).toMatch(/^Line 2, 3: user-\d+ has changed the item since\.$/m);
    await run(`item export ${path}`, { account });
    writeFileSync(path, readFileSync(path, 'utf8').replace('77', '78'));
    const { data } = await run(`item import ${path}`, { account, 'update-by': 'id' });
    expect(data).toMatchObject({ created: 0, updated: 1, unchanged: 1, rejected: 0 });
    expect((await catalogOf(account)).map((one) => one['value'])).toEqual([78, 1]);
    const other = await openTestAccount(table);
    await run(`item export ${path}`, { account });
    setAhead(1_100);
    await run(`item import ${newFile('name\nOther\n')}`, { account: other });
    // Its ids are other items there.
    expect((await run(`item import ${path}`, { account: other })).data).toMatchObject({ created: 2, updated: 0 });
    const { text } = await run(`item import ${newFile('name\nNew\n')}`, { account, 'update-by': 'id' });
    expect(text).toMatch(/^Line 2: id must be that of an export\.\nLine 2: revision must be that of an export\./);
  });

  it('shows a preview at a terminal, and asks only if rows are rejected, warned of or reactivate items', async () => {
    const shown = vi.spyOn(console, 'error').mockReturnValue(undefined);
    vi.stubGlobal('process', Object.create(process, { stdin: { value: { isTTY: true } } }));
    const asked: string[] = [];
    const answering = (answer: string) =>
      operatorOf(table, async (question) => {
        asked.push(question);
        return answer;
      }).run;
    const [clean, mixed] = [newFile(csv(1)), newFile('name,value\nGood,1\nBad,-1\n')];
    expect((await answering('')(`item import ${clean}`, { account })).data).toMatchObject({ created: 1 });
    expect([shown.mock.calls.flat(), asked]).toEqual([['Would be: 1 created.'], []]);
    await expect(answering('no')(`item import ${mixed}`, { account })).rejects.toThrow('Nothing was imported');
    expect(await namesIn(account)).toEqual(['Item 0']);
    expect((await answering('yes')(`item import ${mixed}`, { account })).data).toMatchObject({
      created: 1,
      rejected: 1,
    });
    await updateAll(account, { active: false });
    await expect(answering('no')(`item import ${clean}`, { account })).rejects.toThrow('Nothing was imported');
    expect(asked).toHaveLength(3);
  });

  it('never overwrites rejected rows that were edited, and imports them by the command that it prints', async () => {
    const path = newFile('name;value\nA;1,5\nB;two\n');
    const importFile = () => run(`item import ${path}`, { account, again: 'x' });
    const { text } = await importFile();
    const [, command = ''] = /: npm run admin -- (item import .*)$/m.exec(text) ?? [];
    // The rejects alone do not say how decimals are written.
    expect(command).toMatch(/ --again x --decimal comma$/);
    const fixed = readFileSync(`${path}.rejects`, 'utf8').replace('"two"', '"2,5"');
    writeFileSync(`${path}.rejects`, fixed);
    expect((await importFile()).text).toContain(`${path}.2.rejects, and import`);
    expect(readFileSync(`${path}.rejects`, 'utf8')).toBe(fixed);
    writeFileSync(`${path}.2.rejects`, `${fixed}\n`);
    expect((await importFile()).data).toMatchObject({ rejects: `${path}.3.rejects` });
    writeFileSync(path, 'name;value\nA;1,5\n');
    expect((await importFile()).data).toMatchObject({ rejects: null });
    // Edited ones stay, and the last ones, which nobody has edited, are deleted.
    const kept = ['', '.2', '.3'].filter((number) => existsSync(`${path}${number}.rejects`));
    expect(kept).toEqual(['', '.2']);
    writeFileSync(`${path}.2.rejects`, fixed);
    expect((await run(command.replace('.rejects', '.2.rejects'), {})).data).toMatchObject({ created: 1, rejected: 0 });
    expect((await catalogOf(account)).map(({ value }) => value)).toEqual([1.5, 2.5]);
  });

  it('does not resume after a day, and lists the rows that are open', async () => {
    const path = newFile(csv(9));
    hurry();
    await expect(killedAt(4).run(`item import ${path}`, { account, rate: '100000' })).rejects.toThrow('killed');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
    const { data, text } = await run(`item import ${path}`, { account });
    expect(data).toMatchObject({ created: 0, updated: 0 });
    expect(text).toMatch(/^Line \d+[ \d,]*( and \d+ more)?: may have been written a day ago, or not/);
    expect(existsSync(`${path}.progress`)).toBe(true);
    expect((await namesIn(account)).length).toBeLessThan(9);
  });

  it('resumes no import into another table, and one of an earlier version only once the table is confirmed', async () => {
    const other = await createTestTable();
    await openTestAccount(other, account);
    const path = newFile(csv(3));
    await run(`item import ${path}`, { account });
    const second = operatorOf(other);
    expect((await second.run(`item import ${path}`, { account })).data).toMatchObject({ created: 3, doneBefore: 0 });
    const progress = readFileSync(`${path}.progress`, 'utf8');
    writeFileSync(`${path}.progress`, progress.replaceAll(/,?\\"service\\":\\"[^"]*\\"/g, ''));
    const undoing = `item undo --import ${path} --dry-run --account ${account}`;
    for (const command of [`item import ${path} --account ${account}`, undoing])
      await expect(run(command, {})).rejects.toThrow(`confirm that it is ${table.table}, or delete the file`);
    vi.stubGlobal('process', Object.create(process, { stdin: { value: { isTTY: true } } }));
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const answering = operatorOf(table, async (question) => (question.includes('table') ? table.table : 'yes'));
    expect((await answering.run(`item import ${path}`, { account })).data).toMatchObject({ doneBefore: 3 });
  });

  it('writes no more units a second than --rate says', async () => {
    const began = Date.now();
    let now = began;
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
    };
    const database = new Database(table.client, table.table, { now: () => now, random: Math.random, sleep });
    // With a sku each, a row takes 7.1 units, and the first 50 rows are sent at once.
    await operatorOf({ ...table, database }).run(`item import ${newFile(csv(70))}`, { account, rate: '71' });
    expect(now - began).toBeGreaterThanOrEqual(50 * 100);
  });

  it('updates the items that have the sku, and creates the others', async () => {
    await run(`item import ${newFile(csv(3))}`, { account });
    const path = newFile("name,sku,value,tag,metadata.a\n,S1,7,null,\nNew,S9,1,,x\n,S2,0,'null,4\nTwice, S1 ,8,,\n");
    const program = 'npm run admin -- item';
    const only = await run(`item import --update-only --dry-run ${path}`, { account, 'update-by': 'sku' });
    expect(only.text).toContain('Line 3: No item has the sku S9.');
    expect((await run(`item import ${path}`, { account, 'update-by': 'sku' })).text.split('\n')).toEqual([
      'Line 5: sku is also in line 2.',
      '1 created, 2 updated, 1 rejected.',
      `Fix the rejected rows in ${path}.rejects, and import them: ${program} import ${path}.rejects --account ${account} --update-by sku`,
      `To undo this: ${program} undo --import ${path} --account ${account}`,
    ]);
    // A row that is done is still the first one with its sku.
    const again = await run(`item import ${path}`, { account, 'update-by': 'sku' });
    expect(again.text).toContain('3 unchanged, 1 rejected.');
    expect(await catalogOf(account)).toMatchObject([
      { name: 'Item 0', value: 0 },
      { name: 'Item 1', sku: 'S1', value: 7, tag: null },
      { name: 'Item 2', sku: 'S2', value: 0, tag: 'null', metadata: { a: '4' } },
      { name: 'New', sku: 'S9', metadata: { a: 'x' } },
    ]);
  });

  it('imports equal rows once more by the option that it prints', async () => {
    const paths = [newFile('name,value\nA,1\n'), newFile('name,value\nA,1\n')];
    await run(`item import ${paths[0]}`, { account });
    const { text } = await run(`item import ${paths[1]}`, { account });
    expect(text).toContain('All rows were imported before. To create their items once more, add --again 2.');
    expect((await run(`item import ${paths[1]}`, { account, again: '2' })).data).toMatchObject({ created: 1 });
  });

  it('reads the sheet of another system with the options that answer its questions', async () => {
    const path = newFile('Title,Price,Unit,Shop\nDesk,"1.000",un,a\n,x,pcs,b\n');
    await expect(run(`item import ${path}`, { account })).rejects.toThrow(
      "--columns 'Title=name,Price=value,*=ignore'   leaves out the others\n",
    );
    const answers = { account, columns: 'Title=name,Price=value,*=ignore', decimal: 'comma' };
    const { text } = await run(`item import ${path}`, answers);
    expect(text).toMatch(
      /^Line 3: value "x" must be a number .*\.\nLine 3: name is required\.\nLine 3: unit .*\n1 cre/,
    );
    expect(await catalogOf(account)).toMatchObject([{ name: 'Desk', value: 1000, unit: 'un', metadata: {} }]);
  });

  it('asks about new items without a price, which are created, skipped, or shown', async () => {
    const path = newFile('sku,name,value\nPUMPS,Heading,\nA,Pump,494\nB,Tiny,0.00004\n');
    const warning = 'New items without a price, which get 0: 2, such as line 2, 4.';
    expect((await run(`item import ${path} --dry-run`, { account })).text).toContain(warning);
    expect(existsSync(`${path}.progress`)).toBe(false);
    await expect(run(`item import ${path}`, { account })).rejects.toThrow(`${warning} Add --without-price create, or`);
    expect(await namesIn(account)).toEqual([]);
    const { data, text } = await run(`item import ${path} --without-price skip`, { account });
    expect(data).toMatchObject({ created: 1, doneBefore: 0, rejected: 2 });
    expect(text).toContain('Line 2, 4: value is blank');
    const withTotal = newFile('sku,name,value\nC,One,1\nD,Two,2\n,Total,3\n');
    expect((await run(`item import ${withTotal} --dry-run`, { account })).text).toContain(
      'Line 4 has no code, and the sum',
    );
    expect((await run(`item import ${path} --without-price`, { account })).data).toMatchObject({ created: 2 });
    expect((await namesIn(account)).toSorted()).toEqual(['Heading', 'Pump', 'Tiny']);
    expect((await run(`item import ${newFile('name\nName\n')}`, { account })).data).toMatchObject({ created: 1 });
    const unnamed = newFile('name,Tarif\nLeft out,5\n');
    await expect(run(`item import ${unnamed}`, { account, columns: '*=ignore' })).rejects.toThrow('without a price');
  });

  it('adds missing categories once, but no archived one', async () => {
    const path = newFile('name,category\nSofa,Sofas\nCouch,sofas\nLamp,Lamps\n');
    const { text } = await run(`item import ${path} --dry-run`, { account });
    expect(text).toContain('"Sofas" (2), "Lamps" (1).\nTo add them: --add-categories.');
    const added = await run(`item import ${path} --add-categories`, { account });
    expect(added.text).toContain('Categories were added, which an undo of this import leaves: Sofas, Lamps.');
    expect(added.data).toMatchObject({ created: 3, rejected: 0 });
    expect((await run(`item import ${path} --add-categories`, { account })).data).toMatchObject({ doneBefore: 3 });
    const shown = JSON.stringify((await operator.run('account show', { account })).data);
    expect(shown.match(/Sofas|Lamps/gi)).toEqual(['Sofas', 'Lamps']);
  });

  it('asks about an export without revisions, and creates items of rows without an id', async () => {
    await run(`item import ${newFile('name,value\nFilter,1\n')}`, { account });
    const path = newFile('id,name,value\n1,Filter,9\n');
    const leave = (columns: string) => run(`item import ${path} --dry-run`, { account, columns });
    await expect(leave('*=ignore')).rejects.toThrow('keep the column revision.\n  --columns id=ignore   create others');
    expect((await leave('id=ignore')).data).toMatchObject({ created: 1 });
    const edited = newFile('id,name,value,revision\n1,Filter,9,1\n,New,5,\n');
    const { data } = await run(`item import ${edited}`, { account, 'update-by': 'id' });
    expect(data).toMatchObject({ created: 1, updated: 1, rejected: 0 });
  });

  it('writes nothing in a dry run, and reports the same as the import', async () => {
    await run(`item import ${newFile(csv(3))}`, { account });
    const before = await stored(table);
    const path = newFile('name,sku,value\nNew,S9,1\nTaken,S1,1\n,S8,1\nTwice,S9,1\n');
    expect((await run(`item import ${path} --dry-run`, { account })).text.split('\n')).toEqual([
      expect.stringMatching(/^Line \d: /),
      expect.stringMatching(/^Line \d: /),
      expect.stringMatching(/^Line \d: /),
      'Would be: 1 created, 3 rejected.',
      `The rejected rows are in ${path}.rejects.`,
      'To update the items that have a sku of the file: --update-by sku',
    ]);
    expect(readFileSync(`${path}.rejects`, 'utf8').match(/"(Taken|Twice)?","S\d","1"/g)).toHaveLength(3);
    const update = await run(`item import ${path} --dry-run`, { account, 'update-by': 'sku' });
    expect(update.data).toMatchObject({ created: 1, updated: 1, rejected: 2, rejects: `${path}.rejects` });
    expect(await stored(table)).toEqual(before);
  });

  it('fails with one sentence', async () => {
    await expect(run(`item import ${newFile(csv(1))}`, { account: 'nobody' })).rejects.toThrow(
      'There is no account nobody.',
    );
    await expect(run('item import no-such.csv', { account })).rejects.toThrow('The file no-such.csv cannot be read');
    for (const command of ['import', 'export'])
      await expect(run(`item ${command} items.jsonl`, { account })).rejects.toThrow(
        'Use a .csv file: JSON Lines are no',
      );
    const path = newFile(csv(1));
    writeFileSync(`${path}.progress`, 'mine');
    await expect(run(`item import ${path}`, { account })).rejects.toThrow(
      'is not the progress of an import or an undo',
    );
  });
});

describe('item export', () => {
  it('fails with one sentence if an item cannot be read, and leaves no file', async () => {
    const path = newFile('before');
    const record = { ...item(account, 1), value: 'much' };
    await batch(table, [put(record)]);
    await expect(run(`item export ${path}`, { account })).rejects.toThrow('An item cannot be read.');
    expect(readFileSync(path, 'utf8')).toBe('before');
    await batch(table, [gone(keys.item(account, 1))]);
  });

  it('has all items by id, as the API shows them, and a column for each of the first 200 custom fields', async () => {
    const other = await createTestTable();
    const operator = operatorOf(other);
    await openTestAccount(other, account);
    const ids = Array.from({ length: 101 }, (_, index) => index + 1);
    const metadata = (id: number) => Object.fromEntries([1, 2, 3].map((field) => [`${id} ${field}`, id]));
    const items = ids.map((id) => put(item(account, id, { metadata: metadata(id) })));
    await batch(other, items);
    const path = newFile('');
    await operator.run(`item export ${path}`, { account });
    const [header = '', ...lines] = readFileSync(path, 'utf8').replace('\ufeff', '').trim().split('\r\n');
    expect(lines.map((line) => Number(/^"(\d+)"/.exec(line)?.[1]))).toEqual(ids);
    expect(header.match(/"metadata\./g)).toHaveLength(200);
  });

  it('writes nothing else to standard output', async () => {
    await run(`item import ${newFile('name\n=1+1\n')}`, { account });
    const cwd = serviceFolder({ table: table.table, dynamodb: inject('dynamodb') });
    expect(await runAdmin(['item', 'export', '-', '--account', account], { cwd })).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\ufeff"id","name",.*\r\n"\d+","'=1\+1",.*\r\n$/),
      stderr: '',
    });
  });
});
