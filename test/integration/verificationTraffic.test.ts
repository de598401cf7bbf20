import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { issueToken, revokeTokens, showAccount } from '../../admin/accounts/accounts.ts';
import { RateLimiter } from '../../admin/table/rateLimiter.ts';
import { type Finding, rateLimitedRecords, verifyTable } from '../../admin/verification/verifyTable.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { unlimited } from '../support/damage/verifier.ts';
import { change } from '../support/items/itemChange.ts';
import { batch, counter, item, put } from '../support/table/storedRecords.ts';
import { itemFields, newContainer, openTestCatalog, testCall } from '../support/table/testTable.ts';

const { table, account, create, update } = await openTestCatalog();

describe('verification during live traffic', () => {
  it('reports no false finding while requests and operators constantly make changes', async () => {
    const items = Array.from({ length: 400 }, (_, index) => put(item(account, 1_000_000 + index * 10)));
    await batch(table, items);
    await batch(table, [put(counter(account, 2_000_000))]);
    const found: Finding[] = [];
    let writes = 0;
    let suspects = 0;
    let operated = 0;
    // Enough attempts, regardless of the machine's speed.
    const isOver = () => (writes >= 40 && suspects >= 10 && operated >= 3) || found.length > 0;
    const writer = async (seed: number): Promise<void> => {
      const mine = [(await create()).id];
      for (let turn = seed; !isOver(); turn += 1) {
        const fields = { sku: turn % 3 === 0 ? null : `hot${turn % 7}`, pn: turn % 4 === 0 ? null : `hot${turn % 5}` };
        const written =
          turn % 7 === 0
            ? create(fields).then(({ id }) => mine.push(id))
            : update(mine[turn % mine.length] ?? 0, change(fields));
        await written.then(() => {
          writes += 1;
        }, expectTaken);
      }
    };
    const expectTaken = (error: unknown) => expect(error).toMatchObject({ code: 'ITEM_ALREADY_EXISTS' });
    const watcher = async (): Promise<void> => {
      while (!isOver()) {
        // Scan slowly, in small pages.
        const limiter = new RateLimiter(400, { now: Date.now, sleep: async () => sleep(1) });
        const progress = { records: 0, suspects: 0, rechecked: 0 };
        const { database } = table;
        const records = rateLimitedRecords({ database, limiter: unlimited() });
        found.push(...(await verifyTable({ database, source: table, limiter }, records, progress)));
        suspects += progress.suspects;
      }
    };
    const operator = async (): Promise<void> => {
      for (; !isOver(); operated += 1) await operate(`u${operated}`);
    };
    await Promise.all([writer(0), writer(1), writer(2), operator(), watcher()]);
    expect(found).toEqual([]);
  });

  /** Adds a unit, a category and a token that are used immediately, and archives the last default. */
  async function operate(unit: string): Promise<void> {
    const { database } = table;
    const call = () => testCall(account);
    await configureAccount(database.for(call()), account).addUnit(unit, 2);
    const category = await configureAccount(database.for(call()), account).addCategory(unit);
    const { defaultCategory } = await showAccount(database.for(call()), account);
    await configureAccount(database.for(call()), account).setDefaults({ category });
    if (defaultCategory !== null)
      await configureAccount(database.for(call()), account).changeCategory(defaultCategory, { archived: true });
    const key = { key: unit, sent: { unit } };
    await newContainer(table)(call()).insertItem(itemFields({ unit, category, sku: unit }), key);
    const expiresAt = Math.floor(Date.now() / 1_000) + 60;
    const caller = { account, user: 'u', permissions: [], expiresAt };
    const { entry } = await issueToken(database.for(call()), caller, Date.now());
    await revokeTokens(database.for(call()), account, ['id', entry.id]);
    await issueToken(database.for(call()), caller, Date.now());
  }
});
