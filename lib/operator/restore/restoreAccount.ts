import type { TimedContext } from '../../catalog/requestContext.ts';
import { leaseSize } from '../../store/catalog/idLease.ts';
import type { Database, TransactItem } from '../../store/database/database.ts';
import type { StoredRecord } from '../../store/database/documentClient.ts';
import { isDone } from '../../store/database/failures.ts';
import type { PartitionReader } from '../../store/database/partitionReader.ts';
import { lastIn, raiseCounter } from '../../store/records/counterRecord.ts';
import { hasExpired } from '../../store/records/expiry.ts';
import { configurationPartition, keyAttributes, keys, tokenListPartition } from '../../store/records/keys.ts';
import { isSameKey, keyIn } from '../../store/records/parseKey.ts';
import { operatorContext } from '../operatorContext.ts';
import { problemOf, valueProblem } from '../recordProblem.ts';
import { unusedNumber } from '../unusedNumber.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import type { RestoreOptions } from './restoreItem.ts';

/**
 * Puts back an account's records, except its items, which come later. Existing records are not changed.
 *
 * - The account, categories and units are never deleted, so a missing one was lost. It is put back if it is still
 *   missing.
 * - The counter of item ids, if it is missing or behind the restored one, is raised beyond all that it can have
 *   reached. So is the counter of category ids, which is in the account's record, if that is missing.
 * - Existing records that cannot be read or have impossible values are only reported.
 * - Missing tokens are only counted, because a lost token cannot be distinguished from a revoked one.
 * @returns what was done, or would be in a dry run
 */
export async function restoreAccount(
  from: PartitionReader,
  live: Database,
  account: string,
  options: RestoreOptions,
): Promise<CopyOutcome[]> {
  const compare = async (partition: string) => {
    const context = operatorContext(live, account);
    const copies = await from.query(context, partition);
    const present = await live.query(context, partition);
    const isPresent = (copy: StoredRecord) => present.some((record) => isSameKey(keyIn(record), keyIn(copy)));
    return { present, missing: copies.filter((copy) => !isPresent(copy)) };
  };
  const now = live.clock.now();
  const { missing, present } = await compare(configurationPartition(account));
  const outcomes: CopyOutcome[] = present.filter(isDamaged).map(damaged);
  for (const copy of missing) {
    const record = isSameKey(keyIn(copy), keys.account(account)) ? withLaterCategories(copy, now - options.to) : copy;
    // Each write has its own deadline, because an account can have thousands of categories.
    if (options.isDryRun || (await putMissing(live, operatorContext(live, account), record)))
      outcomes.push({ of: 'record', key: keyIn(copy) });
  }
  outcomes.push(...(await restoreCounter(from, live, account, options)));
  const tokens = await compare(tokenListPartition(account));
  const count = tokens.missing.filter((entry) => !hasExpired(entry, now)).length;
  return count > 0 ? [...outcomes, { of: 'tokens', account, count }] : outcomes;
}

const isDamaged = (record: StoredRecord): boolean => (problemOf(record) ?? valueProblem(record)) !== undefined;

const damaged = (record: StoredRecord): CopyOutcome => ({ of: 'damaged record', key: keyIn(record) });

const withLaterCategories = (copy: StoredRecord, elapsed: number): StoredRecord => ({
  ...copy,
  last_category: unusedNumber(Number(copy['last_category'] ?? 0), elapsed),
});

/**
 * Puts a record that is missing.
 * @param requirements additional parts of the transaction, by name
 * @returns false if it exists by now, or a requirement is not met
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

async function restoreCounter(
  from: PartitionReader,
  live: Database,
  account: string,
  { to, isDryRun }: RestoreOptions,
): Promise<CopyOutcome[]> {
  const context = operatorContext(live, account);
  const [before, present] = await Promise.all([from, live].map((table) => table.get(context, keys.counter(account))));
  const last = lastIn(before);
  if (present?.['last'] !== undefined && lastIn(present) === undefined) return [damaged(present)];
  if (last === undefined || (lastIn(present) ?? 0) >= last) return [];
  const raised = unusedNumber(last, live.clock.now() - to, leaseSize);
  if (!isDryRun && !(await isDone(live.update(context, raiseCounter(account, raised), { idempotent: true }))))
    return [];
  return [{ of: 'item ids', account, last: raised }];
}
