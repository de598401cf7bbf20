import { expect } from 'vitest';
import type { CopyScope } from '../../../admin/restore/copyBack.ts';
import type { CopyOutcome } from '../../../admin/restore/copyOutcome.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { readItem } from '../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { allFindings } from '../damage/verifier.ts';
import { change } from '../items/itemChange.ts';
import { copyOf } from './restoredTables.ts';
import { batch, gone, stored } from './storedRecords.ts';
import {
  createIn,
  createTestTable,
  modifyIn,
  newContainer,
  openTestAccount,
  type TestTable,
  testCall,
} from './testTable.ts';

export const hour = 3_600_000;

/** The restored table's time: an hour ago, so that much may have been written since. */
export const to = Date.now() - hour;

/** Milliseconds since the restored table's time, and some for the test itself. */
export const sinceThen = () => Date.now() - to + 1_000;

export const everything: CopyScope = { account: undefined };

export const recordOf = async (table: TestTable, key: { pk: string; sk: string }): Promise<JsonObject | undefined> =>
  (await stored(table)).find(({ pk, sk }) => pk === key.pk && sk === key.sk);

/** What was done with each item, by its id. */
export const ofItems = (outcomes: readonly CopyOutcome[]) =>
  Object.fromEntries(outcomes.flatMap((one) => (one.of === 'item' ? [[one.id, one.result]] : [])));

/** The table in use and its restored copy, both with items 1 to 6 with both identifiers, and 7 without. */
export async function openRestored() {
  const live = await createTestTable();
  const account = await openTestAccount(live);
  const catalog = newContainer(live);
  for (let id = 1; id <= 6; id += 1)
    await createIn(catalog, testCall(account), { name: `Item ${id}`, sku: `S${id}`, pn: `P${id}`, metadata: { id } });
  await createIn(catalog, testCall(account), { name: 'Item 7' });
  return {
    live,
    account,
    from: await copyOf(live),
    itemOf: async (id: number) => readItem((await recordOf(live, keys.item(account, id))) ?? {}),
    update: (id: number, fields: object, revisions?: readonly number[]) =>
      modifyIn(newContainer(live), testCall(account), id, change(fields), revisions),
    /** Deletes items with their guards. */
    lose: (...ids: number[]) =>
      batch(
        live,
        ids.flatMap((id) => [
          gone(keys.item(account, id)),
          gone(keys.guard(account, 'sku', `S${id}`)),
          gone(keys.guard(account, 'pn', `P${id}`)),
        ]),
      ),
    expectSound: async () => expect(await allFindings(await stored(live), Date.now())).toEqual([]),
  };
}

export type Restored = Awaited<ReturnType<typeof openRestored>>;
