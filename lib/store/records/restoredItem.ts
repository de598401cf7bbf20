/** The write that puts an item back into its table, as a restored table holds it. */
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { listedName } from '../../item/listedName.ts';
import type { TransactItem } from '../database/database.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { lastWrite, readItem } from './itemRecord.ts';
import { keyAttributes, keys, listKey } from './keys.ts';

/**
 * The attribute with the time to which an item was put back, in milliseconds since 1970. Later updates keep it. A second
 * run for the same time then does not undo what clients have written since the first.
 */
const mark = 'restored_to';

const fence = 'closed_until';

/** Whether an item was put back before, as it was at this time, in milliseconds since 1970. */
export const wasPutBack = (record: StoredRecord, to: number): boolean => record[mark] === to;

/** Every write to an item changes one of these, and so does a fence. */
const writeMarks = ['revision', 'written_stamp', 'written_at', fence] as const;

/** A condition that the item is still as it was seen, even if it is unreadable. */
function isUnchanged(seen: StoredRecord) {
  const present = writeMarks.filter((name) => seen[name] !== undefined);
  const conditions = writeMarks.map((name) =>
    present.includes(name) ? `#${name} = :${name}` : `attribute_not_exists(#${name})`,
  );
  return {
    ConditionExpression: ['attribute_exists(#pk)', ...conditions].join(' AND '),
    ExpressionAttributeNames: {
      '#pk': keyAttributes.partition,
      ...Object.fromEntries(writeMarks.map((name) => [`#${name}`, name])),
    },
    ...(present.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(present.map((name) => [`:${name}`, seen[name]])),
    }),
  };
}

const isAbsent = {
  ConditionExpression: 'attribute_not_exists(#pk)',
  ExpressionAttributeNames: { '#pk': keyAttributes.partition },
};

interface PutBack {
  /** The item's record in the restored table. It can be read. */
  readonly copy: StoredRecord;
  /** The item's record in the table as it was seen; the write holds only while it is so. Undefined: there is none. */
  readonly seen: StoredRecord | undefined;
  /** The revision that the item gets. */
  readonly revision: number;
  /** The time of the restored table, in milliseconds since 1970. */
  readonly to: number;
  /** When the write is sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

/**
 * The item's fence after the write. A message that was abandoned before the loss may still be on its way, and must not
 * change the item that is put back, even if the sender's clock was ahead. A fence is never lowered.
 */
function closedUntil({ seen, sentAt }: PutBack): number {
  const before = Number(seen?.[fence]);
  return Math.max(sentAt + timeouts.clockSkew, Number.isSafeInteger(before) ? before : 0);
}

/** Puts the item with all of its attributes, those that this version does not know included. */
export function putItemBack(table: string, context: RequestContext, put: PutBack): TransactItem {
  const { copy, seen, revision, to, sentAt } = put;
  const { [keyAttributes.expiry]: _expiry, ...attributes } = copy;
  const { id, name } = readItem(copy).item;
  return {
    Put: {
      TableName: table,
      Item: {
        ...attributes,
        ...keys.item(context.account, id),
        ...listKey(context.account, id, listedName(name)),
        ...lastWrite(context, sentAt),
        revision,
        [fence]: closedUntil(put),
        [mark]: to,
      },
      ...(seen === undefined ? isAbsent : isUnchanged(seen)),
    },
  };
}
