import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { heartbeatAccount } from '../access/accountId.ts';
import { operatorUser } from '../access/caller.ts';
import { awaitAll } from '../catalog/awaitAll.ts';
import { deadlineOf, timedContext } from '../catalog/requestContext.ts';
import { fieldChanges } from '../item/fieldChanges.ts';
import { fieldNames } from '../item/fields.ts';
import { type Database, getRecord, type TimedSession } from '../store/database/database.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import { unmarshallOptions } from '../store/database/record.ts';
import { transact } from '../store/database/writes.ts';
import { readItem } from '../store/records/itemRecord.ts';
import { changeKeys, keyIn, parseKey } from '../store/records/keys.ts';
import { changeParts, counterPart, readChangeCounter, type StreamedWrite } from './changeRecord.ts';

export interface RecordChangesDependencies {
  readonly changes: Database;
  readonly days: number;
  /** Called for a write with an unreadable image, which is recorded without its values. */
  readonly observe: (unreadable: Pick<StreamedWrite, 'account' | 'item' | 'sequence'>, error: Error) => void;
}

/** How many days the heartbeat's changes are kept, of which there is one a minute. */
const heartbeatDays = 1;

/**
 * Records the writes of items that the table's stream delivers. If it fails, all of them are delivered again, for as long
 * as the stream has them. An unreadable image does not hold up the others, because it stays unreadable.
 */
export const recordChangesHandler =
  ({ changes, days, observe }: RecordChangesDependencies) =>
  async (
    { Records }: DynamoDBStreamEvent,
    { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<void> => {
    const session = changes.for(timedContext(deadlineOf(changes.clock.now(), getRemainingTimeInMillis())));
    const delivered = Records.flatMap((record) => writeIn(record, observe));
    const record = async ([account, writes]: [string, StreamedWrite[]]) => {
      const daysKept = account === heartbeatAccount ? heartbeatDays : days;
      for (let start = 0; start < writes.length; start += largestAppend)
        await appendChanges(session, account, writes.slice(start, start + largestAppend), daysKept);
    };
    await awaitAll([...Map.groupBy(delivered, ({ account }) => account)].map(record));
  };

/** The write in a stream record, if it changed what clients see of an item. Others, such as fences, are left out. */
function writeIn({ dynamodb = {} }: DynamoDBRecord, observe: RecordChangesDependencies['observe']): StreamedWrite[] {
  const [keys = {}, old, current] = [dynamodb.Keys, dynamodb.OldImage, dynamodb.NewImage].map(
    (image) => image && unmarshall(image as Record<string, AttributeValue>, unmarshallOptions),
  );
  const key = parseKey(keyIn(keys));
  if (key?.kind !== 'item') return [];
  const { account, id: item } = key;
  const written = old === undefined ? 'created' : 'updated';
  const kind = current === undefined ? 'removed' : written;
  const streamedAt = (dynamodb.ApproximateCreationDateTime ?? 0) * 1_000;
  const delivered = { account, item, kind, streamedAt, sequence: dynamodb.SequenceNumber ?? '' } as const;
  // Only operators can remove items. A function that could would have to store who called it.
  const removal = { updatedAt: streamedAt, updatedBy: operatorUser };
  try {
    const [before, after] = [old && readItem(old).item, current && readItem(current).item];
    const fields = fieldChanges(before, after);
    if (fields.length === 0) return [];
    const { updatedAt, updatedBy } = after ?? removal;
    const revision = (after ?? before)?.revision ?? 0;
    return [{ ...delivered, revision, updatedAt, updatedBy, fields }];
  } catch (error) {
    observe({ account, item, sequence: delivered.sequence }, error as Error);
    const revision = (current ?? old)?.['revision'];
    const known = { revision: Number.isSafeInteger(revision) ? Number(revision) : 0, ...removal };
    const fields = fieldNames.map((field) => ({ field }));
    return [{ ...delivered, ...known, fields, isUnreadable: true }];
  }
}

/** Number of writes in one call, for a transaction that has at most 100 parts and 4 MB. */
const largestAppend = 25;

/**
 * Records writes as the next changes of an account, unless they were recorded before, or it was deleted after them.
 * @param writes in the order of the stream, at most {@link largestAppend}
 */
async function appendChanges(
  session: TimedSession,
  account: string,
  writes: readonly StreamedWrite[],
  days: number,
): Promise<void> {
  const attempts = session.attempts();
  let counter = readChangeCounter(await getRecord(session, changeKeys.counter(account)));
  let left = writes;
  for (;;) {
    const closedUntil = counter.closed_until ?? 0;
    left = left.filter(({ streamedAt }) => streamedAt > closedUntil);
    if (left.length === 0) return;
    try {
      return await transact(session, changeParts(account, counter, left, { now: session.clock.now(), days }));
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      left = left.filter(({ sequence }) => !error.failed(sequence));
      if (error.failed(counterPart)) counter = readChangeCounter(error.stored(counterPart));
      await attempts.backOff('moved', error);
    }
  }
}
