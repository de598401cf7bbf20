import type { Modification, ModifiedItem } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Account } from '../../item/account.ts';
import type { ItemChange } from '../../item/item.ts';
import { categoryToKeep } from '../../item/item.ts';
import { limits } from '../../item/limits.ts';
import type { Database } from '../database/database.ts';
import { UnknownOutcome } from '../database/failures.ts';
import type { Identifiers } from '../records/guardRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { identifierNames } from '../records/keys.ts';
import type { AccountCache } from './accountCache.ts';
import { expectedQty } from './expectedQty.ts';
import { fenceItem } from './fenceItem.ts';
import type { ItemWrite } from './updateExpression.ts';
import { itemUpdateInput } from './updateExpression.ts';
import { checkIdentifiers, planFrom, writeAtRevision } from './writeAtRevision.ts';
import type { Outcome } from './writeOutcome.ts';
import { readFailedCondition } from './writeOutcome.ts';

/**
 * Changes an item. The first write is optimistic: it expects the likely state of the stored item, without reading it,
 * and is usually the only one. If its condition fails, the error carries the stored item, and the next write is built
 * from that and conditional on its revision. So nothing is read unless it is needed, and no write is based on an
 * outdated state. A write whose response is lost is never retried: the item is fenced against it, and then shows
 * whether the write landed.
 * @throws CatalogError as `CatalogStore.modifyItem` says
 */
export async function modifyItem(
  database: Database,
  accounts: AccountCache,
  context: RequestContext,
  modification: Modification,
): Promise<ModifiedItem> {
  const attempts = database.attempts(context);
  let { done, stored } = await writeOptimistically(database, context, modification);
  for (let round = 0; !done; round += 1) {
    if (round > 0) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    const account = await accountWithUnit(accounts, context, modification.account, stored.item.unit);
    const plan = planFrom(stored, modification, account);
    if (modification.revisions?.includes(stored.item.revision) === false) {
      // A taken identifier (409) takes precedence over an outdated revision (412).
      await checkIdentifiers(database, context, modification, plan);
      return { item: stored.item, isOutdated: true };
    }
    ({ done, stored } = await writeAtRevision(database, context, modification, plan));
  }
  return { item: stored.item, isOutdated: false };
}

/**
 * An account that includes the unit. A unit registered within the last minute may be missing from the container's
 * cache.
 */
const accountWithUnit = async (
  accounts: AccountCache,
  context: RequestContext,
  account: Account,
  unit: string,
): Promise<Account> => (account.units.has(unit) ? account : accounts.current(context));

/** Writes under the expected state of the item, without having read it. */
async function writeOptimistically(
  database: Database,
  context: RequestContext,
  modification: Modification,
): Promise<Outcome> {
  const { id, revisions } = modification;
  const sentAt = database.clock.now();
  const input = itemUpdateInput(context, sentAt, id, optimisticWrite(modification));
  try {
    const record = await database.update(context, input, { idempotent: false });
    return { done: true, stored: readItem(record) };
  } catch (error) {
    if (error instanceof UnknownOutcome) return fenceItem(database, context, { id, sentAt, revisions, cause: error });
    return readFailedCondition(error, modification);
  }
}

/**
 * Expects that identifiers and an archived category are sent back unchanged, as forms do, and otherwise only what the
 * change depends on.
 */
function optimisticWrite({ change, revisions, account }: Modification): ItemWrite {
  const { sku: _sku, pn: _pn, ...fields } = change.fields;
  const { unroundedQty } = change;
  const likely = unroundedQty === undefined ? undefined : expectedQty(unroundedQty, account);
  const added = Object.keys(change.metadata.set).length;
  return {
    fields: { ...fields, ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    expected: {
      identifiers: sentIdentifiers(change),
      category: categoryToKeep(change, account),
      units: likely?.units,
      revisions,
      metadataKeys: added > 0 ? limits.metadata.keysStored - added : undefined,
    },
  };
}

const sentIdentifiers = ({ fields }: ItemChange): Partial<Identifiers> =>
  Object.fromEntries(identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
