import { expect, it } from 'vitest';
import type { CatalogConfigurator } from '../../../lib/catalog/catalogStore.ts';
import { createCategory, createUnit, updateCategory } from '../../../lib/catalog/configureCatalog.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';

const longName = '🪑'.repeat(150);
/** An account whose names have nearly as many bytes as reference data may have. */
const names = Array.from({ length: 3_250 }, (_, id) => [id, { name: longName, archived: false }] as const);
const account = { ...sampleAccount, categories: new Map([...names, [9_999, { name: 'Short', archived: false }]]) };
const store = {
  currentAccount: async () => account,
  addCategory: async () => 1,
  addUnit: async () => undefined,
  changeCategory: async () => undefined,
} as unknown as CatalogConfigurator;

it('names may not make reference data larger than 2 MB, and may become shorter', async () => {
  const tooLong = { fields: [expect.objectContaining({ field: 'name', rule: 'max_bytes' })] };
  await expect(createCategory(store, { name: longName })).rejects.toMatchObject(tooLong);
  await expect(updateCategory(store, 9_999, { name: longName })).rejects.toMatchObject(tooLong);
  expect(await updateCategory(store, 5, { name: 'Shorter' })).toMatchObject({ id: 5 });
  expect(await createUnit(store, { unit: 'x', decimals: 0 })).toEqual({ unit: 'x', decimals: 0 });
});
