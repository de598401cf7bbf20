import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { parseDocument } from '../../admin/accounts/accountDocument.ts';
import { applyAccount } from '../../admin/accounts/applyAccount.ts';
import { applyAccountHandler } from '../../admin/accounts/applyAccountHandler.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { Database } from '../../lib/store/database/database.ts';
import { newCategoryRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { lambdaContext } from '../support/lambda/proxyEvent.ts';
import { root, serviceFolder, startProgram, temporaryFolder } from '../support/programs/program.ts';
import { batch, put } from '../support/table/storedRecords.ts';
import { createTestTable, recording } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const folder = temporaryFolder();
const table = await createTestTable();
const operator = operatorOf(table);

/** Applies a document as an operator does. */
const apply = async (document: object, ...flags: string[]) => {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(document));
  return operator.run(['account apply', file, ...flags].join(' '), {});
};
const changes = async (document: object) => ((await apply(document)).data as { changes: unknown[] }).changes;
const show = (account: string) => operator.dataOf('account show', { account }) as Promise<{ account: string }>;
const session = (database = table.database) => database.for(timedContext(Date.now() + 60_000));
const configure = (account: string) => configureAccount(session(), account);
const directly = (document: object, database = table.database) =>
  applyAccount(session(database), parseDocument(document));

/** A database in which others act before or after the first transaction. */
function meeting({ before, after }: { before?: () => Promise<unknown>; after?: () => Promise<unknown> }): Database {
  let isFirst = true;
  const send = async (command: object) => {
    const isMet = command instanceof TransactWriteCommand && isFirst;
    if (isMet) isFirst = false;
    if (isMet) await before?.();
    const sent = await Reflect.apply(table.client.send, table.client, [command]);
    if (isMet) await after?.();
    return sent;
  };
  return new Database({ send } as never, table.table);
}

const opened = {
  account: 'opened',
  defaultCategory: 'Chairs',
  defaultTax: 2.5,
  categories: [{ name: 'Desks' }, { name: 'Chairs' }, { name: 'Old', archived: true }],
  units: [{ unit: 'pair', decimals: 0 }],
};

describe('account show', () => {
  it('shows an account that was opened with nothing but its id, with the default units and without categories', async () => {
    const account = 'new';
    expect((await apply({ account })).text).toMatch(/^Done: open the account new\.\n/);
    const { text, data } = await operator.run('account show', { account });
    const units = [...initialUnits].map(([unit, decimals]) => ({ unit, decimals }));
    expect(data).toEqual({
      account,
      defaultCategory: null,
      defaultTax: 0,
      categories: [],
      units: expect.any(Array),
      shown: expect.any(String),
    });
    expect(data).toMatchObject({ units: expect.arrayContaining(units) });
    expect(text).toMatch(
      /^account {11}new\ndefault category {2}none\ndefault tax {7}0\n\nid {2}state {2}name\n\nunit {3}decimals\n/,
    );
    expect(text).toMatch(/^kg +3$/m);
  });

  it('escapes control characters in a name that was stored by hand', async () => {
    const account = 'escaped';
    await directly({ account, categories: [{ name: 'Old', archived: true }] });
    await batch(table, [put(newCategoryRecord(account, 2, 'A\u202eB\nC\u009b'))]);
    expect((await operator.run('account show', { account })).text.split('\n\n')[1]).toBe(
      String.raw`id  state     name${'\n'}1   archived  Old${'\n'}2   open      A\u202eB\u000aC\u009b`,
    );
  });

  it('fails with one sentence if there is no such account', async () => {
    await expect(show('nobody')).rejects.toThrow(/^There is no account nobody\.$/);
  });
});

describe('account apply', () => {
  it('accepts what is stored of an account that was configured when other names were accepted', async () => {
    const account = 'earlier';
    const earlier = { name: '\u200b', archived: false };
    await apply({ account });
    await batch(table, [put(newUnitRecord(account, 'e\u0301', 1)), put(newCategoryRecord(account, 1, earlier.name))]);
    const shown = await show(account);
    expect(shown).toMatchObject({ categories: [{ id: 1, ...earlier }] });
    expect(await changes(shown)).toEqual([]);
    expect(await changes({ account, categories: [{ id: 1, ...earlier, archived: true }] })).toHaveLength(1);
    // A unit that is new is stored in its composed form, of which there is only one.
    const unit = { unit: 'o\u0308l', decimals: 1 };
    expect(await changes({ account, units: [unit, { ...unit, unit: '\u00f6l' }] })).toEqual([
      { change: 'add unit', unit: '\u00f6l', decimals: 1 },
    ]);
    expect(await changes({ account, units: [unit] })).toEqual([]);
  });

  it('opens an account as the document says, and has nothing to change the second time', async () => {
    expect((await apply(opened)).text.split('\n')).toEqual([
      'Done: open the account opened.',
      'Done: add the unit pair with 0 decimals.',
      'Done: add the category 1 Desks.',
      'Done: add the category 2 Chairs.',
      'Done: add the category 3 Old, archived.',
      'Done: set the default category from none to 2 and the default tax from 0 to 2.5.',
      'Left out of the document, and kept: unit un, unit hour, unit day, unit month, unit kg, unit g, unit m, unit m2, unit m3, unit l, unit box, unit set.',
    ]);
    expect(await show('opened')).toMatchObject({
      defaultCategory: 2,
      defaultTax: 2.5,
      categories: [
        { id: 1, name: 'Desks', archived: false },
        { id: 2, name: 'Chairs', archived: false },
        { id: 3, name: 'Old', archived: true },
      ],
      units: expect.arrayContaining([
        { unit: 'pair', decimals: 0 },
        { unit: 'kg', decimals: 3 },
      ]),
    });
    const before = await table.records();
    expect((await apply(opened)).text).toMatch(/^There is nothing to change in the account opened\.\nLeft out of/);
    expect(await apply(await show('opened'))).toEqual({
      text: 'There is nothing to change in the account opened.',
      data: {
        account: 'opened',
        isDryRun: false,
        changes: [],
        kept: { categories: [], units: [], defaults: [] },
      },
    });
    expect(await table.records()).toEqual(before);
  });

  it('makes all changes in one transaction', async () => {
    const { client, sent } = recording(table.client);
    const { changes } = await directly({ ...opened, account: 'whole' }, new Database(client, table.table));
    expect([changes.length, sent.filter((name) => /Write|Put|Update/.test(name))]).toEqual([6, ['TransactWrite']]);
  });

  it('reads a document from standard input, and says what is wrong with one in one sentence', async () => {
    const cwd = serviceFolder({ table: table.table, dynamodb: inject('dynamodb') });
    const applied = async (input: string) => {
      const { ended, output } = startProgram(process.execPath, [`${root}admin/admin.ts`, 'account', 'apply', '-'], {
        cwd,
        input,
      });
      return { code: await ended, ...output };
    };
    expect(await applied('{"account":"piped"}')).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^Done: open the account piped\.\n/),
    });
    expect(await applied('{"account":"Piped"}')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The document cannot be applied: /account must be 1 to 63 lower-case letters, digits and hyphens.\n',
    });
    expect((await applied('{')).stderr).toMatch(/^The document - cannot be read: .*\.\n$/);
  });

  it('finds a category by its id, else by its name, and keeps what the document leaves out', async () => {
    await apply({ ...opened, account: 'found' });
    const document = {
      account: 'found',
      defaultCategory: 'Tables',
      categories: [{ id: 1, name: 'Tables' }, { id: 9, name: 'Old', archived: false }, { name: 'Desks' }],
    };
    const { text, data } = await apply(document, '--dry-run');
    expect(text.split('\n')).toEqual([
      'Would be done: category 1: rename it from Desks to Tables.',
      'Would be done: category 3: make it open.',
      'Would be done: add the category 10 Desks.',
      'Would be done: set the default category from 2 to 1.',
      expect.stringMatching(/^Left out of the document, and kept: the default tax, category 2, unit box, .*unit pair/),
    ]);
    expect(await show('found')).toMatchObject({ defaultCategory: 2 });
    expect(await changes(document)).toEqual((data as { changes: unknown }).changes);
    expect(await changes(document)).toEqual([]);
    await configure('found').addCategory('Lamps');
    expect(await show('found')).toMatchObject({
      defaultCategory: 1,
      categories: expect.arrayContaining([
        { id: 10, name: 'Desks', archived: false },
        { id: 11, name: 'Lamps', archived: false },
      ]),
    });
  });

  it('finds the default category by name among its own categories, even if the account has another one of that name', async () => {
    await directly({
      account: 'namesakes',
      categories: [
        { id: 1, name: 'Desks' },
        { id: 2, name: 'Desks' },
      ],
    });
    await directly({ account: 'namesakes', categories: [{ id: 2, name: 'Desks' }], defaultCategory: 'Desks' });
    expect(await show('namesakes')).toMatchObject({ defaultCategory: 2 });
  });

  it('archives the default category once another one is the default, and leaves archived ones archived', async () => {
    await apply({ ...opened, account: 'archives' });
    await apply({
      account: 'archives',
      defaultCategory: 1,
      categories: [{ id: 2, name: 'Chairs', archived: true }],
    });
    expect(await changes({ account: 'archives', categories: [{ name: 'Old' }, { name: 'Chairs' }] })).toEqual([]);
    expect(await changes({ account: 'archives', defaultCategory: null })).toHaveLength(1);
    expect(await show('archives')).toMatchObject({ defaultCategory: null });
  });

  it.each([
    [{ units: [{ unit: 'kg', decimals: 2 }] }, '/units/0/decimals cannot be changed: the unit kg has 3'],
    [{ defaultCategory: 3 }, '/defaultCategory must be another one, because category 3 is archived'],
    [{ defaultCategory: 7 }, '/defaultCategory is not a category of this account'],
    [{ defaultCategory: 'Lamps' }, '/defaultCategory is not a category of this account'],
    [
      { categories: [{ id: 2, name: 'Chairs', archived: true }] },
      '/defaultCategory must be another one, because category 2 is archived',
    ],
    [{ categories: [{ name: 'Same' }] }, '/categories/0 needs its id: the account has 2 of this name'],
    [
      {
        categories: [
          { id: 1, name: 'A' },
          { id: 1, name: 'B' },
        ],
      },
      '/categories/1 is the same category as another one in the document (1)',
    ],
    [{ categories: [{ name: '\u3164' }] }, '/categories/0/name must have a visible character'],
    [
      { units: [{ unit: 'kg\u200b', decimals: 0 }] },
      '/units/0/unit must be 1 to 8 characters in NFC, without control or invisible characters',
    ],
    [{ categories: [{ name: 'Twin' }, { name: 'Twin' }] }, '/categories/1 has the name of another new category'],
  ])('refuses %j and changes nothing', async (part, reason) => {
    const account = 'refuses';
    await apply({ ...opened, account });
    for (const id of [4, 5]) await apply({ account, categories: [{ id, name: 'Same' }] }).catch(() => undefined);
    if (((await show(account)) as unknown as { categories: unknown[] }).categories.length < 5)
      await configure(account).addCategory('Same');
    const before = await table.records();
    await expect(apply({ account, ...part })).rejects.toMatchObject({
      code: 'IMPOSSIBLE_CHANGE',
      message: `The document cannot be applied: ${reason}.`,
    });
    expect(await table.records()).toEqual(before);
  });

  it('gives a new category an id above the last one that the account has had', async () => {
    await apply({ ...opened, account: 'raised' });
    const last = { ':last': 50 };
    const raise = { UpdateExpression: 'SET last_category = :last', ExpressionAttributeValues: last };
    await table.client.send(new UpdateCommand({ TableName: table.table, Key: keys.account('raised'), ...raise }));
    expect(await changes({ account: 'raised', categories: [{ name: 'New' }] })).toMatchObject([{ id: 51 }]);
  });

  it.each(['archived', 'default'])('is planned again if a category becomes %s meanwhile', async (first) => {
    const account = `${first}-meanwhile`;
    await apply({ ...opened, account });
    const archiving = { account, categories: [{ id: 1, name: 'Desks', archived: true }] };
    const both = [archiving, { account, defaultCategory: 1 }];
    const [one = {}, other = {}] = first === 'archived' ? both : both.reverse();
    await expect(directly(other, meeting({ before: () => directly(one) }))).rejects.toThrow(
      '/defaultCategory must be another one, because category 1 is archived',
    );
    expect(await show(account)).toMatchObject({ defaultCategory: first === 'archived' ? 2 : 1 });
  });

  it('makes any account equal to any other, which then has nothing to change', async () => {
    const name = fc.constantFrom('Chairs', 'Desks', 'Old', 'Lamps');
    const document = fc.record(
      {
        defaultCategory: fc.option(name),
        defaultTax: fc.integer({ min: 0, max: 9 }),
        categories: fc.uniqueArray(fc.record({ name, archived: fc.boolean() }, { requiredKeys: ['name'] }), {
          selector: (row) => row.name,
        }),
        units: fc.constantFrom([], [{ unit: 'pair', decimals: 0 }]),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 3 }), async (documents) => {
        const [account, copy] = [`a-${crypto.randomUUID()}`, `b-${crypto.randomUUID()}`];
        await directly({ account });
        // Some are impossible, for example if the default is archived.
        for (const one of documents) await directly({ account, ...one }).catch(() => undefined);
        const shown = await show(account);
        await directly({ ...shown, account: copy });
        expect(await show(copy)).toEqual({ ...shown, account: copy });
        for (const same of [shown, { ...shown, account: copy }]) expect((await directly(same)).changes).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('adds each category once, also if it runs several times at once and others add some too', async () => {
    const account = 'race';
    const names = Array.from({ length: 120 }, (_, index) => `Category ${index}`);
    const document = { account, defaultCategory: 'Category 119', categories: names.map((name) => ({ name })) };
    await directly({ account });
    await Promise.all([
      ...Array.from({ length: 4 }, () => directly(document)),
      ...['x', 'y', 'z'].map((name) => configure(account).addCategory(name)),
      configure(account).setDefaults({ tax: 3 }),
    ]);
    const { categories, ...others } = (await show(account)) as { account: string; categories?: { name: string }[] };
    expect(categories?.map(({ name }) => name).sort()).toEqual([...names, 'x', 'y', 'z'].sort());
    expect(others).toMatchObject({ defaultTax: 3 });
    expect((await directly(document)).changes).toEqual([]);
  });
});

describe('a document that was shown', () => {
  /** What is shown of a new account. */
  const shownOf = async (account: string) => {
    await directly({ ...opened, account });
    return (await show(account)) as { account: string; categories?: { id: number; name: string }[] };
  };
  const renamed = (document: Awaited<ReturnType<typeof shownOf>>) => ({
    ...document,
    categories: document.categories?.map((row) => (row.id === 1 ? { ...row, name: 'Tables' } : row)),
  });

  it('is applied if nobody has changed the account since, also again', async () => {
    const document = renamed(await shownOf('unchanged'));
    expect(await changes(document)).toHaveLength(1);
    expect(await changes(document)).toEqual([]);
    // What was applied is not what others have changed.
    expect(await changes({ ...document, defaultTax: 7 })).toHaveLength(1);
  });

  it.each<[string, (account: string) => Promise<unknown>, string]>([
    ['a value that it would set back', (account) => configure(account).setDefaults({ tax: 3 }), '{"defaultTax":3}'],
    ['a new category', (account) => configure(account).addCategory('X'), '{"id":4,"name":"X","archived":false}'],
    ['a new unit', (account) => configure(account).addUnit('ton', 1), '{"unit":"ton","decimals":1}'],
    [
      'the same category',
      (account) => configure(account).changeCategory(1, { archived: true }),
      '{"id":1,"name":"Desks","archived":true}',
    ],
    [
      'several values',
      async (account) => {
        await configure(account).setDefaults({ category: null, tax: 3 });
        await configure(account).changeCategory(3, { archived: false });
      },
      '{"defaultCategory":null}, {"defaultTax":3}, {"id":3,"name":"Old","archived":false}',
    ],
  ])('changes nothing if others have changed %s since, and says what', async (_, change, now) => {
    const document = renamed(await shownOf(`a-${crypto.randomUUID()}`));
    await change(document.account);
    const before = await table.records();
    for (const flags of [[], ['--dry-run']])
      await expect(apply(document, ...flags)).rejects.toMatchObject({
        code: 'OUTDATED_DOCUMENT',
        exitCode: 1,
        message: `The document cannot be applied: /shown is outdated: the account now has ${now}.`,
      });
    expect(await table.records()).toEqual(before);
    const { shown: _shown, ...undated } = document as typeof document & { shown: string };
    expect(await changes(undated)).not.toEqual([]);
  });

  it.each<[string, (account: string) => Promise<unknown>]>([
    ['a category', (account) => configure(account).changeCategory(1, { name: 'Stools' })],
    ['the defaults', (account) => configure(account).setDefaults({ tax: 3 })],
  ])('changes nothing if others change %s between its being read and its being written', async (_, change) => {
    const account = `a-${crypto.randomUUID()}`;
    const document = { ...renamed(await shownOf(account)), defaultTax: 9 };
    const before = async () => change(account);
    await expect(directly(document, meeting({ before }))).rejects.toThrow('/shown is outdated');
    expect(await show(account)).not.toMatchObject({ defaultTax: 9 });
    expect(await show(account)).not.toMatchObject({ categories: [{ name: 'Tables' }, {}, {}] });
  });

  it('sets nothing back that others change after it was written', async () => {
    const document = renamed(await shownOf('written'));
    const after = () => configure('written').setDefaults({ tax: 3 });
    expect((await directly(document, meeting({ after }))).changes).toHaveLength(1);
    expect(await show('written')).toMatchObject({ defaultTax: 3, categories: [{ name: 'Tables' }, {}, {}] });
  });

  it('can have more changes than one transaction', async () => {
    const document = await shownOf('many');
    const added = Array.from({ length: 120 }, (_, index) => ({ name: `Category ${index}` }));
    const categories = [...(document.categories ?? []).map((row) => ({ ...row, archived: true })), ...added];
    const { defaultTax: _, ...long } = { ...document, defaultTax: 0, defaultCategory: 'Category 119', categories };
    expect((await directly(long)).changes).toHaveLength(123);
  });

  it('has time for each transaction, however many there are', async () => {
    let passed = 0;
    const send = async (command: object) => {
      if (command instanceof TransactWriteCommand) passed += 20_000;
      return Reflect.apply(table.client.send, table.client, [command]);
    };
    const clock = { now: () => Date.now() + passed, random: Math.random, sleep: async () => undefined };
    const slow = operatorOf({ ...table, database: new Database({ send } as never, table.table, clock) });
    const categories = Array.from({ length: 300 }, (_, index) => ({ name: `Category ${index}` }));
    const file = join(folder, 'slow.json');
    writeFileSync(file, JSON.stringify({ account: 'slow', categories }));
    expect(await slow.dataOf(`account apply ${file}`, {})).toMatchObject({ changes: { length: 301 } });
    expect(passed).toBe(80_000);
  });
});

it('the function applyAccount makes the changes and says which, or why it made none, and fails for any other reason', async () => {
  const log: object[] = [];
  const handler = applyAccountHandler({ database: table.database, log: (entry) => log.push(entry) });
  const answerTo = (document: object) => handler(document, lambdaContext());
  const document = { account: 'invoked', categories: [{ name: 'Desks' }] };
  expect(await answerTo(document)).toEqual({
    account: 'invoked',
    changes: [{ change: 'open account' }, { change: 'add category', id: 1, name: 'Desks', archived: false }],
    kept: { categories: [], units: expect.arrayContaining(['kg']), defaults: ['defaultCategory', 'defaultTax'] },
  });
  expect(await answerTo(document)).toMatchObject({ account: 'invoked', changes: [] });
  expect(await answerTo({ ...document, units: [{ unit: 'kg', decimals: 2 }] })).toEqual({
    error: {
      code: 'IMPOSSIBLE_CHANGE',
      message: 'The document cannot be applied: /units/0/decimals cannot be changed: the unit kg has 3.',
      fields: [{ field: 'units', path: '/units/0/decimals', reason: 'cannot be changed: the unit kg has 3' }],
    },
  });
  const shown = 'none of the values';
  expect(await answerTo({ ...document, defaultTax: 1, shown })).toMatchObject({
    error: { code: 'OUTDATED_DOCUMENT', fields: [{ field: 'shown', path: '/shown', reason: expect.any(String) }] },
  });
  const elsewhere = applyAccountHandler({
    database: new Database(table.client, 'no-such-table'),
    log: () => undefined,
  });
  await expect(elsewhere(document, lambdaContext())).rejects.toThrow();
  const codes = [{ code: 'IMPOSSIBLE_CHANGE' }, { code: 'OUTDATED_DOCUMENT' }];
  expect(log).toMatchObject([{ account: 'invoked', changes: 2 }, { changes: 0 }, ...codes]);
});
