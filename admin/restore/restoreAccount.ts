import { largestLease } from '../../lib/store/catalog/idLease.ts';
import { getRecord, queryPartition, type Session } from '../../lib/store/database/database.ts';
import { equals, expressions } from '../../lib/store/database/expressions.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { hasExpired, type Key, type StoredRecord } from '../../lib/store/database/record.ts';
import { putNew, type TransactItem, transact, updateRecord } from '../../lib/store/database/writes.ts';
import { lastIn, raiseCounter } from '../../lib/store/records/counterRecord.ts';
import { latestExpiry, readIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { configurationPartition, isSameKey, keyIn, keys, tokenListPartition } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { problemOf } from '../table/recordProblem.ts';
import { unusedNumber } from '../table/unusedNumber.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import type { RestoreOptions } from './restoreItem.ts';

/**
 * Puts back an account's records, except its items, which come later. Existing records are not changed.
 *
 * - Only operators remove an account, its categories and units, so another missing one was lost and is put back.
 * - The counter of item ids, if it is missing or behind the restored one, is raised beyond all that it can have
 *   reached. So is the counter of category ids, which is in the account's record, if that is missing.
 * - Existing records that cannot be read are only reported.
 * - Missing tokens are only counted, because a lost token cannot be distinguished from a revoked one.
 * @returns what was done, or would be in a dry run
 */
export async function restoreAccount(options: RestoreOptions, account: string): Promise<CopyOutcome[]> {
  const { restored, live } = options;
  const compare = async (partition: string) => {
    const copies = await queryPartition(operatorSession(restored, account), partition);
    const present = await queryPartition(operatorSession(live, account), partition);
    const isPresent = (copy: StoredRecord) => present.some((record) => isSameKey(keyIn(record), keyIn(copy)));
    return { present, missing: copies.filter((copy) => !isPresent(copy)) };
  };
  const now = live.clock.now();
  const { missing, present } = await compare(configurationPartition(account));
  const outcomes: CopyOutcome[] = present.filter(isDamaged).map(damaged);
  for (const copy of missing) {
    const record = isSameKey(keyIn(copy), keys.account(account)) ? withLaterCategories(copy, now - options.to) : copy;
    // Each write has its own deadline, because an account can have thousands of categories.
    if (options.isDryRun || (await putMissing(operatorSession(live, account), record)))
      outcomes.push({ of: 'record', key: keyIn(copy) });
  }
  outcomes.push(...(await restoreCounter(options, account)));
  const tokens = await compare(tokenListPartition(account));
  const count = tokens.missing.filter((entry) => !hasExpired(entry, now)).length;
  return count > 0 ? [...outcomes, { of: 'tokens', account, count }] : outcomes;
}

const isDamaged = (record: StoredRecord): boolean => problemOf(record) !== undefined;

const damaged = (record: StoredRecord): CopyOutcome => ({ of: 'damaged record', key: keyIn(record) });

/** The number of the last category is no setting: it goes up with each new one. */
const counted = 'last_category';

const withLaterCategories = (copy: StoredRecord, elapsed: number): StoredRecord => ({
  ...copy,
  [counted]: unusedNumber(Number(copy[counted] ?? 0), elapsed),
});

/**
 * Puts a record that is missing.
 * @param requirements additional parts of the transaction, by name
 * @returns false if it exists by now, or a requirement is not met
 */
function putMissing(
  session: Session,
  record: StoredRecord,
  requirements: Readonly<Record<string, TransactItem>> = {},
): Promise<boolean> {
  return isDone(transact(session, { record: putNew(record), ...requirements }));
}

async function restoreCounter(
  { restored, live, to, isDryRun }: RestoreOptions,
  account: string,
): Promise<CopyOutcome[]> {
  const sessions = [restored, live].map((table) => operatorSession(table, account));
  const [before, present] = await Promise.all(sessions.map((each) => getRecord(each, keys.counter(account))));
  const last = lastIn(before);
  if (present?.['last'] !== undefined && lastIn(present) === undefined) return [damaged(present)];
  if (last === undefined || (lastIn(present) ?? 0) >= last) return [];
  const raised = unusedNumber(last, live.clock.now() - to, largestLease);
  const raise = () => updateRecord(operatorSession(live, account), raiseCounter(account, raised), { idempotent: true });
  if (!isDryRun && !(await isDone(raise()))) return [];
  return [{ of: 'item ids', account, last: raised }];
}

/**
 * Puts back the record of an idempotency key, so that an import that is repeated within 24 hours does not create items
 * twice. Its item must exist, so copy the items first.
 * @returns what was done, or would be in a dry run
 */
export async function restoreIdempotencyRecord(
  { restored, live, isDryRun }: RestoreOptions,
  { account, key }: { readonly account: string; readonly key: Key },
): Promise<CopyOutcome[]> {
  const session = operatorSession(live, account);
  const [copy, present] = await Promise.all([
    getRecord(operatorSession(restored, account), key),
    getRecord(session, key),
  ]);
  if (copy === undefined || present !== undefined || problemOf(copy) !== undefined) return [];
  const { item, expiresAt } = readIdempotencyRecord(copy);
  const now = live.clock.now();
  if (expiresAt * 1_000 <= now || expiresAt > latestExpiry(now)) return [];
  const sameItem = {
    ConditionCheck: {
      Key: keys.item(account, item.id),
      ...expressions((use) => ({ ConditionExpression: equals(use, 'created_at', item.createdAt) })),
    },
  };
  const done: CopyOutcome[] = [{ of: 'record', key }];
  if (isDryRun) {
    // A missing item would have been put back before.
    const stored = await getRecord(session, keys.item(account, item.id));
    return stored === undefined || stored['created_at'] === item.createdAt ? done : [];
  }
  return (await putMissing(session, copy, { item: sameItem })) ? done : [];
}
