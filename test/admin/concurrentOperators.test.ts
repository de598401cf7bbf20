import { beforeAll, describe, expect, it } from 'vitest';
import { createTestTable } from '../support/testTable.ts';
import { operatorOf } from './operator.ts';

let operator: ReturnType<typeof operatorOf>;
const run = (...args: Parameters<typeof operator.run>) => operator.run(...args);
const dataOf = (...args: Parameters<typeof operator.run>) => operator.dataOf(...args);

beforeAll(async () => {
  operator = operatorOf(await createTestTable());
});

describe('concurrent operators', () => {
  it('open an account only once', async () => {
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => run('account create', { account: 'race' })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all.filter((result) => result.status === 'rejected'))
      expect(one.reason.message).toBe('The account race is already open.');
  });

  it('add categories with different ids, and none is lost', async () => {
    await run('account create', { account: 'adders' });
    const names = Array.from({ length: 20 }, (_, index) => `Category ${index}`);
    const added = await Promise.all(names.map((name) => dataOf('category add', { account: 'adders', name })));
    expect(new Set(added.map((entry) => (entry as { id: number }).id)).size).toBe(20);
    const listed = await dataOf('category list', { account: 'adders' });
    expect(listed).toHaveLength(20);
    expect(listed).toEqual(expect.arrayContaining(added));
  });

  it('never leave an account with an archived default category', async () => {
    await run('account create', { account: 'archivers' });
    for (let category = 1; category <= 10; category += 1) {
      await run('category add', { account: 'archivers', name: 'x' });
      await Promise.allSettled([
        run('category archive', { account: 'archivers', category: `${category}` }),
        run('defaults set', { account: 'archivers', category: `${category}` }),
      ]);
      const { defaultCategory, categories } = (await dataOf('account show', { account: 'archivers' })) as {
        defaultCategory: number | null;
        categories: { id: number; archived: boolean }[];
      };
      expect(categories.find(({ id }) => id === defaultCategory)?.archived).not.toBe(true);
    }
  });
});
