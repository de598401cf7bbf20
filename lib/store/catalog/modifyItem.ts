import type { Modification, ModifiedItem } from '../../catalog/catalogStore.ts';
import type { Account } from '../../item/account.ts';
import { applyChange } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { UnknownOutcome } from '../database/failures.ts';
import { updateRecord } from '../database/writes.ts';
import { readItem } from '../records/itemRecord.ts';
import type { KeyedUpdate } from '../records/keyedUpdate.ts';
import { earlierUpdate, keyedUpdate } from '../records/keyedUpdate.ts';
import type { AccountCache } from './accountCache.ts';
import { optimisticWrite } from './itemWrite.ts';
import { checkIdentifiers, secondWrite } from './secondWrite.ts';
import { itemUpdateInput } from './updateExpression.ts';
import type { Outcome } from './writeOutcome.ts';
import { fenceItem, readFailedCondition } from './writeOutcome.ts';

/**
 * Changes an item. The first write is optimistic: it expects the likely state of the stored item, without reading it,
 * and is usually the only one. If its condition fails, the error carries the stored item, and the next write is built
 * from that. It is conditional on what the request depends on, and not on the rest of the item, so that writers of other
 * fields do not hold it up. So nothing is read unless it is needed, and no write is based on an outdated state. A write
 * whose response is lost is never retried: the item is fenced against it, and then shows whether the write landed.
 * @throws CatalogError as `ItemUpdater.modifyItem` says
 */
export async function modifyItem(
  session: Session,
  accounts: AccountCache,
  modification: Modification,
): Promise<ModifiedItem> {
  const attempts = session.attempts();
  const keyed = modification.key && keyedUpdate(session.context, modification.key, session.clock.now());
  let { done, stored } = await firstWrite(session, modification, keyed);
  for (let round = 0; !done; round += 1) {
    const earlier = keyed && earlierUpdate(stored, keyed);
    if (earlier === 'done') return { item: stored.item, isOutdated: false, replayed: true };
    if (round > 0) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    const account = await accountWithUnit(session, accounts, modification.account, stored.item.unit);
    const plan = {
      stored,
      next: applyChange(stored.item, modification.change, account),
      keyed: keyed && { update: keyed, isNew: earlier !== 'expired' },
      isExact: round === 0 || earlier === 'expired',
    };
    if (modification.revisions?.includes(stored.item.revision) === false) {
      // A taken identifier (409) takes precedence over an outdated revision (412).
      await checkIdentifiers(session, modification, plan);
      return { item: stored.item, isOutdated: true, replayed: false };
    }
    ({ done, stored } = await secondWrite(session, modification, plan));
  }
  return { item: stored.item, isOutdated: false, replayed: false };
}

/**
 * An account that includes the unit. A unit registered within the last minute may be missing from the container's
 * cache.
 */
const accountWithUnit = async (
  session: Session,
  accounts: AccountCache,
  account: Account,
  unit: string,
): Promise<Account> => (account.units.has(unit) ? account : accounts.current(session));

/** Writes under the expected state of the item, without having read it. */
async function firstWrite(
  session: Session,
  modification: Modification,
  keyed: KeyedUpdate | undefined,
): Promise<Outcome> {
  const { id, revisions } = modification;
  const sentAt = session.clock.now();
  const write = { ...optimisticWrite(modification), keyed: keyed && { update: keyed, isNew: true } };
  try {
    const record = await updateRecord(session, itemUpdateInput(session.context, sentAt, id, write), {
      idempotent: false,
    });
    return { done: true, stored: readItem(record) };
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) return readFailedCondition(error, modification);
    return fenceItem(session, { id, sentAt, lowest: lowestOf(revisions), keyed, cause: error });
  }
}

/** The lowest of the revisions that an item can have. By default 1. Infinite if there is none. */
const lowestOf = (revisions: readonly number[] = [1]): number => Math.min(...revisions.filter((one) => one > 0));
