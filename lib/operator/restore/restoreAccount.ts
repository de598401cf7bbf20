import type { TimedContext } from '../../catalog/requestContext.ts';
import { leaseSize } from '../../store/catalog/idLease.ts';
import type { Database, TransactItem } from '../../store/database/database.ts';
import type { StoredRecord } from '../../store/database/documentClient.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import type { PartitionReader } from '../../store/database/partitionReader.ts';
import { raiseCounter } from '../../store/records/counterRecord.ts';
import { configurationPartition, keyAttributes, keys, tokenListPartition } from '../../store/records/keys.ts';
import { isSameKey, keyIn } from '../../store/records/parseKey.ts';
import { lastIn } from '../verification/checks/itemIds.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import { numberBeyond } from './numberBeyond.ts';
import type { RestoreOptions } from './restoreItem.ts';
import { operatorContext } from './restoreItem.ts';

/**
 * Puts back what an account has beside its items, before them. What is there stays as it is.
 *
 * - Account, categories and units are never deleted: what is missing is lost, and put back if it still is.
 * - The counter of item ids, if it is missing or behind the restored one, is raised beyond all that it can have reached. So
 *   is the counter of category ids, which is in the account's record, if that is missing.
 * - Tokens are counted, and never put back: a missing one was lost or revoked, which cannot be told apart.
 * @returns what was done, or in a dry run would be
 */
export async function restoreAccount(
  from: PartitionReader,
  live: Database,
  account: string,
  options: RestoreOptions,
): Promise<CopyOutcome[]> {
  const context = operatorContext(live, account);
  const missing = async (partition: string): Promise<StoredRecord[]> => {
    const copies = await from.query(context, partition);
    const present = await live.query(context, partition);
    return copies.filter((copy) => !present.some((record) => isSameKey(keyIn(record), keyIn(copy))));
  };
  const now = live.clock.now();
  const outcomes: CopyOutcome[] = [];
  for (const copy of await missing(configurationPartition(account))) {
    const record = isSameKey(keyIn(copy), keys.account(account)) ? withLaterCategories(copy, now - options.to) : copy;
    if (options.isDryRun || (await putMissing(live, context, record)))
      outcomes.push({ of: 'record', key: keyIn(copy) });
  }
  outcomes.push(...(await restoreCounter(from, live, account, options)));
  const count = (await missing(tokenListPartition(account))).filter((entry) => !hasExpired(entry, now)).length;
  return count > 0 ? [...outcomes, { of: 'tokens', account, count }] : outcomes;
}

/** @param now milliseconds since 1970 */
const hasExpired = (record: StoredRecord, now: number): boolean => Number(record[keyAttributes.expiry]) * 1_000 <= now;

const withLaterCategories = (copy: StoredRecord, elapsed: number): StoredRecord => ({
  ...copy,
  last_category: numberBeyond(Number(copy['last_category'] ?? 0), elapsed),
});

/**
 * Puts a record that is missing.
 * @param requirements further parts of the transaction, by their names
 * @returns false when it is there by now, or a requirement is not met
 */
export function putMissing(
  live: Database,
  context: TimedContext,
  record: StoredRecord,
  requirements: Readonly<Record<string, TransactItem>> = {},
): Promise<boolean> {
  const put = {
    TableName: live.table,
    Item: { ...record },
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': keyAttributes.partition },
  };
  return isDone(live.transact(context, { record: { Put: put }, ...requirements }));
}

/** @returns false when the write was refused by a condition */
async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function restoreCounter(
  from: PartitionReader,
  live: Database,
  account: string,
  { to, isDryRun }: RestoreOptions,
): Promise<CopyOutcome[]> {
  const context = operatorContext(live, account);
  const [before, present] = await Promise.all([from, live].map((table) => table.get(context, keys.counter(account))));
  const last = lastIn(before);
  if (last === undefined || (lastIn(present) ?? 0) >= last) return [];
  const raised = numberBeyond(last, live.clock.now() - to, leaseSize);
  if (!isDryRun && !(await isDone(live.update(context, raiseCounter(account, raised), { idempotent: true }))))
    return [];
  return [{ of: 'item ids', account, last: raised }];
}
