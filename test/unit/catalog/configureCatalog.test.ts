import { expect, it } from 'vitest';
import type { CatalogConfigurator } from '../../../lib/catalog/catalogStore.ts';
import { createCategory, createUnit, updateCategory } from '../../../lib/catalog/configureCatalog.ts';
import type { Account } from '../../../lib/item/account.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';

const longName = '🪑'.repeat(150);
/** An account whose names have nearly as many bytes as reference data may have. */
const names = Array.from({ length: 3_250 }, (_, id) => [id, { name: longName, archived: false }] as const);
const categories = new Map([...names, [9_999, { name: 'Short', archived: false }]]);
const storeOf = (account: Partial<Account>) =>
  ({
    currentAccount: async () => ({ ...sampleAccount, ...account }),
    addCategory: async () => 1,
    addUnit: async () => undefined,
    changeCategory: async () => undefined,
  }) as unknown as CatalogConfigurator;

it('names may not make reference data larger than 2 MB, and may become shorter', async () => {
  const store = storeOf({ categories });
  const tooLong = { fields: [expect.objectContaining({ field: 'name', rule: 'max_bytes' })] };
  await expect(createCategory(store, { name: longName })).rejects.toMatchObject(tooLong);
  await expect(updateCategory(store, 9_999, { name: longName })).rejects.toMatchObject(tooLong);
  expect(await updateCategory(store, 5, { name: 'Shorter' })).toMatchObject({ id: 5 });
  expect(await createUnit(store, { unit: 'x', decimals: 0 })).toEqual({ unit: 'x', decimals: 0 });
});

it('an account has at most 10,000 categories and as many units', async () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
  const accountOf = (count: number): Partial<Account> => ({
    categories: new Map(upTo(count).map((id) => [id, { name: 'C', archived: false }])),
    units: new Map(upTo(count).map((unit) => [String(unit), 0])),
  });
  const [full, nearly] = [storeOf(accountOf(10_000)), storeOf(accountOf(9_999))];
  const tooMany = { fields: [expect.objectContaining({ rule: 'max_items', limit: 10_000 })] };
  await expect(createCategory(full, { name: 'One more' })).rejects.toMatchObject(tooMany);
  await expect(createUnit(full, { unit: 'x', decimals: 0 })).rejects.toMatchObject(tooMany);
  expect(await createCategory(nearly, { name: 'Last' })).toMatchObject({ name: 'Last' });
  expect(await createUnit(nearly, { unit: 'x', decimals: 0 })).toMatchObject({ unit: 'x' });
});
