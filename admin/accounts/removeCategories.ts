import { randomUUID } from 'node:crypto';
import { equals, expressions, setText } from '../../lib/store/database/expressions.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import { removalMark } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { itemPages, type PacedTable } from '../table/scanTable.ts';
import { showAccount } from './accounts.ts';
import { closingTime } from './deleteAccount.ts';

/** The archived categories of an account that no item has: their names by id. */
export async function unusedCategories(table: PacedTable, account: string): Promise<ReadonlyMap<number, string>> {
  const { categories } = await showAccount(operatorSession(table.database, account), account);
  const unused = new Map<number, string>();
  for (const [id, { name, archived }] of categories) if (archived) unused.set(id, name);
  for await (const items of itemPages(table, account, { isConsistent: true }))
    for (const { category } of items) unused.delete(Number(category));
  return unused;
}

/**
 * Removes archived categories that no item has. A container that has cached one before it was archived can still give it
 * to an item. So each is marked, and removed after {@link closingTime}, if no item has it by then and its mark is still
 * there: whoever changes a category meanwhile removes the mark. Can be killed at any point and run again.
 * @param ids the categories to remove
 * @returns those that were removed
 */
export async function removeCategories(table: PacedTable, account: string, ids: readonly number[]): Promise<number[]> {
  const { database, limiter } = table;
  const mark = randomUUID();
  // A transaction, unlike a single write, is done only once, also if it is sent again and its first attempt arrives late.
  const write = (category: TransactItem): Promise<boolean> =>
    limiter.run(2, () => isDone(transact(operatorSession(database, account), { category })));
  const marked: number[] = [];
  for (const id of ids) {
    const setMark = expressions((use) => ({
      UpdateExpression: setText(use, { [removalMark]: mark }),
      ConditionExpression: equals(use, 'archived', true),
    }));
    if (await write({ Update: { Key: keys.category(account, id), ...setMark } })) marked.push(id);
  }
  await database.clock.sleep(closingTime);
  const unused = await unusedCategories(table, account);
  const removed: number[] = [];
  for (const id of marked.filter((each) => unused.has(each))) {
    const isMarked = expressions((use) => ({ ConditionExpression: equals(use, removalMark, mark) }));
    if (await write({ Delete: { Key: keys.category(account, id), ...isMarked } })) removed.push(id);
  }
  return removed;
}
