import { describe, expect, it } from 'vitest';
import type { AccountDocument } from '../../admin/accounts/accountDocument.ts';
import { applyAccount } from '../../admin/accounts/applyAccount.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { createTestTable } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const table = await createTestTable();

const run = (...args: Parameters<ReturnType<typeof operatorOf>['run']>) => operatorOf(table).run(...args);
const apply = (document: AccountDocument) =>
  applyAccount(table.database.for(timedContext(Date.now() + 60_000)), document);
const show = async (account: string) => (await run('account show', { account })).data as ShownAccount;

interface ShownAccount {
  readonly defaultCategory: number | null;
  readonly categories: readonly { readonly id: number; readonly name: string; readonly archived: boolean }[];
}

describe('concurrent operators', () => {
  it('open an account only once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => run('account create', { account: 'race' })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all.filter((result) => result.status === 'rejected'))
      expect(one.reason.message).toBe('The account race is already open.');
  });

  it('never leave an account with an archived default category', async () => {
    await run('account create', { account: 'archivers' });
    for (let category = 1; category <= 10; category += 1) {
      await apply({ account: 'archivers', categories: [{ id: category, name: 'x' }] });
      await Promise.allSettled([
        apply({ account: 'archivers', categories: [{ id: category, name: 'x', archived: true }] }),
        apply({ account: 'archivers', defaultCategory: category }),
      ]);
      const { defaultCategory, categories } = await show('archivers');
      expect(categories.find(({ id }) => id === defaultCategory)?.archived).not.toBe(true);
    }
  });
});
