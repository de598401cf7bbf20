import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { listedName } from '../../lib/item/listedName.ts';
import { listKey } from '../../lib/store/records/keys.ts';
import { createTestTable, guardsDue, guardsOf, openTestAccount } from '../support/testTable.ts';
import { CatalogModel } from './catalogModel.ts';
import type { Known } from './commands.ts';
import { commands } from './commands.ts';
import { runs, testTimeout } from './runs.ts';
import { Service } from './service.ts';

async function open() {
  const table = await createTestTable();
  const accounts = [await openTestAccount(table), await openTestAccount(table)];
  const known: Known = { catalog: new CatalogModel(), accounts, keyed: [] };
  const service = new Service({ ...table, processes: 2, sleep: async () => undefined });
  return { table, known, service };
}

/** The members of an item that are stored under the names of the answers; what has no value is not stored. */
function storedMembers(records: readonly JsonObject[], account: string): unknown[] {
  return records
    .filter(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`)
    .map(({ pk, sk, created_at, written_by, written_stamp, written_at, sent_at, ...members }) => members);
}

const modelMembers = ({ catalog }: Known, account: string): unknown[] =>
  [...catalog.items(account)]
    .sort(([a], [b]) => a - b)
    .map(([, { data }]) => {
      const { category_name, create_date, updated_at, updated_by, ...members } = data;
      const valued = Object.entries(members).filter(([, value]) => value !== null);
      const place = listKey(account, Number(data['id']), listedName(String(data['name'])));
      return { ...Object.fromEntries(valued), ...place };
    });

/**
 * Only these tests compare whole answers and stored items, with their headers, defaults, rounding and lists of taken codes,
 * over long sequences with caches that are out of date and keys that expire.
 */
describe('any sequence of requests', () => {
  it('has the responses and stored items of a simple model', { timeout: testTimeout }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 60, size: 'max' }), async (sequence) => {
        const { table, known, service } = await open();
        await fc.asyncModelRun(() => ({ model: known, real: service }), sequence);
        const records = await table.records();
        for (const account of known.accounts) {
          expect(storedMembers(records, account)).toEqual(modelMembers(known, account));
          expect(guardsOf(records, account)).toEqual(guardsDue(records, account));
        }
      }),
      runs,
    );
  });
});
