import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createItem } from '../../../lib/catalog/createItem.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';

/** Creates with a key that has created the sample item, and returns the outcome and the calls of the store. */
async function create(body: JsonObject, prepareInsert?: () => Promise<undefined>) {
  const called: string[] = [];
  const answering =
    <Answer>(name: string, answer: Answer) =>
    async (): Promise<Answer> => {
      called.push(name);
      return answer;
    };
  const store = {
    account: answering('account', sampleAccount),
    currentAccount: answering('currentAccount', sampleAccount),
    accountWith: answering('accountWith', sampleAccount),
    prepareInsert: prepareInsert ?? answering('prepareInsert', undefined),
    findCreated: answering('findCreated', sampleItem),
    insertItem: answering('insertItem', { item: sampleItem, replayed: true }),
  };
  const outcome = await createItem(store, body, 'key-1').catch((error: unknown) => error);
  return { outcome, called };
}

it.each([
  ['by the write, which saves a read', {}, ['prepareInsert', 'account', 'insertItem']],
  [
    'before its category is refused, which may have been archived since',
    { category: 4 },
    ['prepareInsert', 'account', 'accountWith', 'findCreated'],
  ],
])('a used key is found %s', async (_when, fields, calls) => {
  const { outcome, called } = await create({ name: 'Chair', ...fields });
  expect(outcome).toMatchObject({ item: sampleItem, replayed: true });
  expect(called).toEqual(calls);
});

it('an invalid body is not compared with that of its key, however deeply nested it is', async () => {
  const metadata = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  const { outcome, called } = await create({ name: 'Chair', category: 99, metadata });
  expect(outcome).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(called).toEqual(['account', 'accountWith']);
});

it('a create is not answered while its lease of ids is under way, because Lambda then stops the clock', async () => {
  let isLeased = false;
  await create({ name: 'Chair', category: 99 }, async () => {
    await setImmediate();
    isLeased = true;
    return undefined;
  });
  expect(isLeased).toBe(true);
});
