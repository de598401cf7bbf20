import { equals, expressions } from '../../lib/store/database/expressions.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { latestExpiry, readIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { problemOf } from '../table/recordProblem.ts';
import type { RestoreOptions } from './compareItem.ts';
import type { CopyOutcome } from './copyOutcome.ts';
import { putMissing } from './restoreAccount.ts';

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
