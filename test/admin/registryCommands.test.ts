import { beforeAll, describe, expect, it } from 'vitest';
import { initialUnits } from '../../lib/item/account.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { batch, put } from '../support/storedRecords.ts';
import type { TestTable } from '../support/testTable.ts';
import { createTestTable } from '../support/testTable.ts';
import { operatorOf } from './operator.ts';

let table: TestTable;
let operator: ReturnType<typeof operatorOf>;
const run = (...args: Parameters<typeof operator.run>) => operator.run(...args);
const dataOf = (...args: Parameters<typeof operator.run>) => operator.dataOf(...args);

beforeAll(async () => {
  table = await createTestTable();
  operator = operatorOf(table);
});

describe('the commands for accounts', () => {
  it('open an account with the default units and without categories', async () => {
    expect(await run('account create', { account: 'new' })).toEqual({
      text:
        'The account new is open.\n' +
        'Next, set its default category (category add, then defaults set), which items get if their request names none.',
      data: { account: 'new' },
    });
    const units = [...initialUnits].map(([unit, decimals]) => ({ unit, decimals }));
    expect(await dataOf('account show', { account: 'new' })).toEqual({
      account: 'new',
      defaultCategory: null,
      defaultTax: 0,
      categories: [],
      units: expect.arrayContaining(units),
    });
  });

  it("show an account's defaults, categories and units", async () => {
    const account = 'shown';
    await run('account create', { account });
    for (const name of ['Chairs', 'Desks']) await run('category add', { account, name });
    await run('defaults set', { account, category: '2', tax: '2.5' });
    const [overview, categories, units] = (await run('account show', { account })).text.split('\n\n');
    expect(overview?.split('\n')).toEqual(['account           shown', 'default category  2', 'default tax       2.5']);
    expect(categories).toBe((await run('category list', { account })).text);
    expect(units).toBe((await run('unit list', { account })).text);
  });

  it('add, rename, archive, unarchive and list categories', async () => {
    const account = 'categories';
    await run('account create', { account });
    expect(await dataOf('category add', { account, name: 'Chairs' })).toEqual({
      id: 1,
      name: 'Chairs',
      archived: false,
    });
    await run('category add', { account, name: 'Desks' });
    expect(await dataOf('category rename', { account, category: '1', name: 'Seats' })).toEqual({
      id: 1,
      name: 'Seats',
    });
    expect(await dataOf('category archive', { account, category: '2' })).toEqual({ id: 2, archived: true });
    expect(await run('category list', { account })).toEqual({
      text: 'id  state     name\n1   open      Seats\n2   archived  Desks',
      data: [
        { id: 1, name: 'Seats', archived: false },
        { id: 2, name: 'Desks', archived: true },
      ],
    });
    expect(await dataOf('category unarchive', { account, category: '2' })).toEqual({ id: 2, archived: false });
    expect(await dataOf('category list', { account })).toEqual([
      { id: 1, name: 'Seats', archived: false },
      { id: 2, name: 'Desks', archived: false },
    ]);
  });

  it('escape control characters in a name that was stored by hand', async () => {
    const account = 'escaped';
    await run('account create', { account });
    await run('category add', { account, name: 'Chairs' });
    const record = { ...keys.category(account, 1), id: 1, name: 'A\u202eB\nC\u009b', archived: false };
    await batch(table, [put(record)]);
    expect((await run('category list', { account })).text).toBe(
      String.raw`id  state  name${'\n'}1   open   A\u202eB\u000aC\u009b`,
    );
  });

  it('set one default without changing the other, including to zero and none', async () => {
    const account = 'defaults';
    await run('account create', { account });
    await run('category add', { account, name: 'General' });
    const defaults = async (options: Record<string, string>) => {
      await run('defaults set', { account, ...options });
      return dataOf('account show', { account });
    };
    expect(await defaults({ category: '1', tax: '2.5' })).toMatchObject({ defaultCategory: 1, defaultTax: 2.5 });
    expect(await defaults({ tax: '0' })).toMatchObject({ defaultCategory: 1, defaultTax: 0 });
    expect(await defaults({ tax: '0.0000005' })).toMatchObject({ defaultTax: 0.000001 });
    expect(await defaults({ category: 'none' })).toMatchObject({ defaultCategory: null, defaultTax: 0.000001 });
  });

  it('register and list units', async () => {
    const account = 'units';
    await run('account create', { account });
    expect(await dataOf('unit add', { account, unit: 'pair', decimals: '0' })).toEqual({ unit: 'pair', decimals: 0 });
    const { text, data } = await run('unit list', { account });
    expect(data).toHaveLength(initialUnits.size + 1);
    expect(data).toContainEqual({ unit: 'pair', decimals: 0 });
    expect(text).toMatch(/^unit +decimals\n/);
    expect(text).toMatch(/^pair +0$/m);
  });

  it('fail with one sentence and change nothing', async () => {
    const account = 'refusals';
    await run('account create', { account });
    await run('category add', { account, name: 'General' });
    await run('category add', { account, name: 'Old' });
    await run('defaults set', { account, category: '1' });
    await run('category archive', { account, category: '2' });
    const before = await table.records();
    const refused = (name: string, options: Record<string, string>) =>
      run(name, options).then(
        () => 'nothing was refused',
        ({ message }) => message,
      );
    const none = 'There is no account nobody.';
    const noCategory = 'Category not found.';
    const invalid = (field: string, reason: string) => `Invalid field: ${field}. The value of ${field} ${reason}.`;
    expect(await refused('account show', { account: 'nobody' })).toBe(none);
    expect(await refused('defaults set', { account: 'nobody', tax: '1' })).toBe(none);
    expect(await refused('category add', { account: 'nobody', name: 'x' })).toBe(none);
    expect(await refused('category list', { account: 'nobody' })).toBe(none);
    expect(await refused('unit add', { account: 'nobody', unit: 'x', decimals: '0' })).toBe(none);
    for (const category of ['2', '3'])
      expect(await refused('defaults set', { account, category })).toBe(
        invalid('category', 'is not a category of this account, or is archived'),
      );
    expect(await refused('category rename', { account: 'nobody', category: '1', name: 'x' })).toBe(none);
    expect(await refused('category rename', { account, category: '3', name: 'x' })).toBe(noCategory);
    for (const command of ['category archive', 'category unarchive'])
      expect(await refused(command, { account, category: '3' })).toBe(noCategory);
    expect(await refused('category archive', { account, category: '1' })).toBe(
      invalid('archived', 'cannot be true, because new items get this category by default'),
    );
    expect(await refused('unit add', { account, unit: 'kg', decimals: '0' })).toBe('The unit already exists.');
    expect(await table.records()).toEqual(before);
  });
});
