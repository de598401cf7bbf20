import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { removeCategories } from '../../admin/accounts/removeCategories.ts';
import { createItem } from '../../lib/catalog/createItem.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { accountLifetime } from '../../lib/store/catalog/accountCache.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { operatorOf } from '../admin/operator.ts';
import { unlimited } from '../support/damage/verifier.ts';
import { createTables } from '../support/table/changeStream.ts';
import { openTestAccount, type TestTable, testCall } from '../support/table/testTable.ts';
import { atVirtualTime, type SentCommand } from '../support/time/virtualTime.ts';

const { table } = await createTables();
const limiter = unlimited();

/** Requests at the time of the table. */
function requestsOf({ database }: Pick<TestTable, 'database'>, account: string) {
  const deadline = () => database.clock.now() + 8_000;
  const configurator = () => configureAccount(database.for(timedContext(deadline())), account);
  return {
    newContainer: () => {
      const open = dynamoItemWriter(database);
      return (category: number) =>
        createItem(open({ ...testCall(account), deadline: deadline() }), { name: 'Item', category });
    },
    add: (name: string) => configurator().addCategory(name),
    archive: (id: number, archived = true) => configurator().changeCategory(id, { archived }),
  };
}

/** The archived categories that an account has, and those that its items have. */
async function categoriesOf(account: string) {
  const records = (await table.records()).filter(({ pk }) => String(pk).split('#')[1] === account);
  const of = (prefix: string) => records.filter(({ sk }) => String(sk).startsWith(prefix));
  return {
    present: new Set(of('CATEGORY#').map(({ id }) => id)),
    used: new Set(of('ITEM#').map(({ category }) => category)),
  };
}

const isRemoval = ({ constructor: { name }, input }: SentCommand) =>
  name === 'TransactWriteCommand' && JSON.stringify(input['TransactItems']).includes('"Delete"');

describe('removing archived categories', () => {
  it('lists them, needs the id of the account to be typed, and leaves what is in use or not archived', async () => {
    const account = await openTestAccount(table);
    const { newContainer, add, archive } = requestsOf(table, account);
    const [used, unused] = [await add('Used'), await add('Unused')];
    await newContainer()(used);
    for (const id of [used, unused]) await archive(id);
    const before = await table.records();
    const removing = (typed: string, option = '') =>
      operatorOf({ ...table, ...atVirtualTime(table) }, async (question) => {
        expect(question).toContain(`id  name\n${unused}   Unused\n\n`);
        return typed;
      }).run(`account remove-categories${option}`, { account, rate: '100000' });
    expect((await removing('', ' --dry-run')).text).toBe(`id  name\n${unused}   Unused\n\nCategories to remove: 1.`);
    await expect(removing('yes')).rejects.toThrow('Nothing was removed');
    expect(await table.records()).toEqual(before);
    expect(await removing(account)).toEqual({
      text: 'Categories removed: 1.',
      data: { isDryRun: false, removed: [unused], left: [] },
    });
    expect((await categoriesOf(account)).present).toEqual(new Set([1, 2, used]));
    expect((await removing(account)).data).toMatchObject({ removed: [] });
  });

  it('leaves one that a container has cached as not archived, and gives to an item meanwhile', async () => {
    const account = await openTestAccount(table);
    const work = atVirtualTime(table, { hasOthers: true });
    const { newContainer, add, archive } = requestsOf(work, account);
    const create = newContainer();
    const [late, unused] = [await add('Late'), await add('Unused')];
    await create(2);
    for (const id of [late, unused]) await archive(id);
    const cachedUntil = work.now() + accountLifetime;
    const giving = (async () => {
      while (work.now() < cachedUntil - 10_000) await sleep(0);
      await create(late);
    })();
    expect(await removeCategories({ ...work, limiter }, account, [late, unused])).toEqual([unused]);
    await giving;
    expect((await categoriesOf(account)).used).toEqual(new Set([2, late]));
    expect((await categoriesOf(account)).present).toEqual(new Set([1, 2, late]));
  });

  it('leaves one that was in use and archived again after the items were read', async () => {
    const account = await openTestAccount(table);
    const { newContainer, add, archive } = requestsOf(table, account);
    const id = await add('Revived');
    await archive(id);
    let isRevived = false;
    const before = async (command: SentCommand) => {
      if (isRevived || !isRemoval(command)) return;
      isRevived = true;
      await archive(id, false);
      await newContainer()(id);
      await archive(id);
    };
    expect(await removeCategories({ ...atVirtualTime(table, { before }), limiter }, account, [id])).toEqual([]);
    expect(isRevived).toBe(true);
    expect((await categoriesOf(account)).present).toContain(id);
  });
});
