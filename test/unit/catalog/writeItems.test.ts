import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { ItemWriter } from '../../../lib/catalog/catalogStore.ts';
import { readBatch } from '../../../lib/catalog/readBatch.ts';
import { writeItems } from '../../../lib/catalog/writeItems.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { testCall } from '../../support/table/testTable.ts';

it('a batch is not refused while its lease of ids is under way, because Lambda then stops the clock', async () => {
  let isLeased = false;
  const prepareInsert = async () => {
    await setImmediate();
    isLeased = true;
  };
  const store = { prepareInsert, account: () => Promise.reject(new CatalogError('FORBIDDEN')) };
  const openStore = () => store as unknown as ItemWriter;
  const work = { openStore, context: testCall('acme'), newWriteId: () => 'write-1', now: Date.now, hidden: [] };
  await expect(writeItems(work, { rows: [{ name: 'Chair' }] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(isLeased).toBe(true);
});

it('the keys of rows never change, because they outlive releases', () => {
  const { rows } = readBatch({ rows: [{}, {}, {}], keys: [null, 'own', null] }, 'batch', []);
  expect(rows.map(({ key }) => key)).toEqual(['batch 1', ' own', 'batch 3']);
});
