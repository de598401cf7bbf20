import { describe, expect, it } from 'vitest';
import { openAccountHandler } from '../../admin/accounts/openAccountHandler.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { Database } from '../../lib/store/database/database.ts';
import { newCategoryRecord, newClosureRecord } from '../../lib/store/records/accountRecord.ts';
import { lambdaContext } from '../support/lambda/gatewayEvent.ts';
import { batch, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const table = await createTestTable();
const operator = operatorOf(table);

describe('account open', () => {
  it('opens an account with the default units, and leaves an open one as it is', async () => {
    const account = 'new';
    expect(await operator.run('account open', { account })).toEqual({
      text: 'The account new was opened.',
      data: { account, opened: true },
    });
    const before = await stored(table);
    expect(await operator.run('account open', { account })).toEqual({
      text: 'The account new is open already.',
      data: { account, opened: false },
    });
    expect(await stored(table)).toEqual(before);
    const { text, data } = await operator.run('account show', { account });
    const units = [...initialUnits].map(([unit, decimals]) => ({ unit, decimals }));
    expect(data).toEqual({ account, defaultCategory: null, defaultTax: 0, categories: [], units: expect.any(Array) });
    expect(data).toMatchObject({ units: expect.arrayContaining(units) });
    expect(text).toMatch(
      /^account {11}new\ndefault category {2}none\ndefault tax {7}0\n\nid {2}state {2}name\n\nunit {3}decimals\n/,
    );
  });
});

describe('account show', () => {
  it('escapes control characters in a stored name', async () => {
    const account = await openTestAccount(table, 'escaped');
    await batch(table, [put(newCategoryRecord(account, 1, 'A\u202eB\nC\u009b'))]);
    expect((await operator.run('account show', { account })).text).toContain(String.raw`open   A\u202eB\u000aC\u009b`);
  });
});

describe('the function by which programs open accounts', () => {
  const log: object[] = [];
  const handler = openAccountHandler({ database: table.database, log: (entry) => log.push(entry) });
  const answerTo = (request: unknown) => handler(request, lambdaContext());

  it('opens an account, and says whether it was open already', async () => {
    expect(await answerTo({ account: 'invoked' })).toEqual({ account: 'invoked', opened: true });
    expect(await answerTo({ account: 'invoked' })).toEqual({ account: 'invoked', opened: false });
    expect(log).toMatchObject([{ account: 'invoked', opened: true }, { opened: false }]);
  });

  it.each([
    { account: 'older', defaultCategory: 'General', categories: [{ name: 'General' }] },
    { account: 'older', units: [] },
    { account: 'A#B' },
    {},
    null,
    'older',
  ])('refuses %j, says what to send, and opens nothing', async (request) => {
    const before = await stored(table);
    expect(await answerTo(request)).toEqual({
      error: {
        code: 'INVALID_DOCUMENT',
        message: expect.stringMatching(/^Send only \{ "account": "…" \}, .*over HTTP/),
      },
    });
    expect(await stored(table)).toEqual(before);
  });

  it('refuses an account that is being deleted', async () => {
    await batch(table, [put(newClosureRecord('closing', 1))]);
    const message = expect.stringContaining('The account closing is being deleted.');
    expect(await answerTo({ account: 'closing' })).toEqual({ error: { code: 'IMPOSSIBLE_CHANGE', message } });
  });

  it('fails for any other reason, so that Lambda repeats it', async () => {
    const elsewhere = openAccountHandler({
      database: new Database(table.client, 'no-such-table'),
      log: () => undefined,
    });
    await expect(elsewhere({ account: 'invoked' }, lambdaContext())).rejects.toThrow();
  });
});
