import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { listedName } from '../../lib/item/listedName.ts';
import { expressions } from '../../lib/store/database/expressions.ts';
import { keyAttributes } from '../../lib/store/database/record.ts';
import type { TransactItem } from '../../lib/store/database/writes.ts';
import { isUnchanged, lastWrite, readItem } from '../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../lib/store/records/keys.ts';
import type { ItemPair } from './compareItem.ts';

/**
 * Puts the item with all of its attributes, including those that this version does not know. The write fails if the item
 * has changed since it was seen.
 * @param put with a copy that can be read
 */
export function putItemBack(
  context: RequestContext,
  put: Pick<ItemPair, 'copy' | 'seen'> & { readonly revision: number; readonly sentAt: EpochMs },
): TransactItem {
  const { copy, seen, revision } = put;
  // The item's last write may have come from a container whose clock is ahead.
  const sentAt = Math.max(put.sentAt, Number(seen?.['written_at']) || 0, Number(seen?.['sent_at']) || 0);
  const closedUntil = Number(seen?.['closed_until']);
  const { [keyAttributes.expiry]: _expiry, ...attributes } = copy;
  const { id, name } = readItem(copy).item;
  return {
    Put: {
      Item: {
        ...attributes,
        ...keys.item(context.account, id),
        ...listKey(context.account, id, listedName(name)),
        ...lastWrite(context, sentAt),
        revision,
        // A request that was abandoned before the loss may still be in flight, and must not change the restored item, even
        // if the sender's clock was ahead. The fence is never lowered.
        closed_until: Math.max(sentAt + timeouts.clockSkew, Number.isSafeInteger(closedUntil) ? closedUntil : 0),
      },
      ...expressions((use) => ({ ConditionExpression: isUnchanged(use, seen) })),
    },
  };
}
