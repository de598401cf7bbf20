import { expect, it } from 'vitest';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import { createTables, itemAt, recorder, streamRecord } from '../support/table/changeStream.ts';
import { openTestAccount, testCall } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

it('changes skip makes readers of the changes of one account, or of all, start over', async () => {
  const { table, changes } = await createTables();
  const accounts = [await openTestAccount(table), await openTestAccount(table)];
  const [first = ''] = accounts;
  for (const account of accounts) await recorder(changes)([streamRecord(account, 1, { after: itemAt(1, 1) })]);
  const list = (account: string, from?: number) =>
    dynamoChangeReader(table.database)(testCall(account)).listChanges(from, 10);
  const places = await Promise.all(accounts.map(async (account) => (await list(account)).next));
  const outcomes = async () =>
    Promise.all(accounts.map((account, index) => list(account, places[index]).catch(({ code }) => code)));
  const { run } = operatorOf(table);
  expect((await run('changes skip', { account: first })).data).toEqual({ accounts: [first] });
  expect(await outcomes()).toMatchObject(['CHANGES_EXPIRED', { changes: [], next: places[1] }]);
  expect((await run('changes skip --all', {})).data).toEqual({ accounts: accounts.sort() });
  expect(await outcomes()).toEqual(['CHANGES_EXPIRED', 'CHANGES_EXPIRED']);
  await expect(run('changes skip', {})).rejects.toThrow("Give either '--account' or '--all'");
  await expect(run('changes skip', { account: 'nobody' })).rejects.toThrow('There is no account nobody.');
});
