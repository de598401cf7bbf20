import type { Modification, ModifiedItem } from '../../catalog/catalogStore.ts';
import type { Item } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { earlierUpdate, keyedUpdate } from '../records/idempotencyKey.ts';
import type { AccountCache } from './accountCache.ts';
import { optimisticWrite, writeFrom } from './buildWrite.ts';
import { checkIdentifiers, sendWrite } from './sendWrite.ts';

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
  let { done, stored } = await sendWrite(session, modification, optimisticWrite(modification, keyed));
  for (let round = 0; !done; round += 1) {
    const { item } = stored;
    const earlier = keyed && earlierUpdate(stored, keyed);
    if (earlier === 'done') return { item, isOutdated: false, replayed: true };
    if (!isMatched(item, modification)) return { item, isOutdated: true, replayed: false };
    if (round > 0) await attempts.backOff('moved', new Error('Other writers of the item were faster'));
    // A unit registered within the last minute may be missing from the container's cache.
    const account = modification.account.units.has(item.unit) ? modification.account : await accounts.current(session);
    const rebuilt = { ...modification, account };
    const keyedWrite = keyed && { update: keyed, isNew: earlier !== 'expired' };
    const write = writeFrom(stored, rebuilt, keyedWrite, round === 0);
    if (modification.revisions?.includes(item.revision) === false) {
      // A taken identifier (409) takes precedence over an outdated revision (412).
      await checkIdentifiers(session, item.id, write);
      return { item, isOutdated: true, replayed: false };
    }
    ({ done, stored } = await sendWrite(session, rebuilt, write));
  }
  return { item: stored.item, isOutdated: false, replayed: false };
}

/** Whether an item has the identifier by which it was found. Each write requires it, because the change names it. */
const isMatched = (item: Item, { match, change }: Modification): boolean =>
  match === undefined || item[match] === change.fields[match];
