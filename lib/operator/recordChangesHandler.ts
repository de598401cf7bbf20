import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { deadlineOf, timedContext } from '../catalog/requestContext.ts';
import { appendChanges, largestAppend } from '../store/catalog/appendChanges.ts';
import type { Database } from '../store/database/database.ts';
import { unmarshallOptions } from '../store/database/record.ts';
import type { StreamedWrite } from '../store/records/changeRecord.ts';
import { readItem } from '../store/records/itemRecord.ts';
import { keyIn, parseKey } from '../store/records/parseKey.ts';
import { fieldChanges } from './fieldChanges.ts';
import { operatorUser } from './operatorSession.ts';

/** Dependencies of the function that records changes. */
export interface RecordChangesDependencies {
  /** The table of changes. */
  readonly changes: Database;
  /** Number of days for which changes are kept. */
  readonly days: number;
}

/** Records the writes of items that the table's stream delivers. If it fails, all of them are delivered again. */
export const recordChangesHandler =
  ({ changes, days }: RecordChangesDependencies) =>
  async (
    { Records }: DynamoDBStreamEvent,
    { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<void> => {
    const session = changes.for(timedContext(deadlineOf(changes.clock.now(), getRemainingTimeInMillis())));
    const writes = Map.groupBy(Records.flatMap(writeIn), ({ account }) => account);
    const record = async (account: string, own: StreamedWrite[]) => {
      while (own.length > 0) await appendChanges(session, account, own.splice(0, largestAppend), days);
    };
    await Promise.all(
      [...writes].map(([account, own]) =>
        record(
          account,
          own.map(({ write }) => write),
        ),
      ),
    );
  };

/** The write in a stream record, if it changed what clients see of an item. Others, such as fences, are left out. */
function writeIn({ dynamodb = {} }: DynamoDBRecord): { account: string; write: StreamedWrite }[] {
  const [keys = {}, old, current] = [dynamodb.Keys, dynamodb.OldImage, dynamodb.NewImage].map(
    (image) => image && unmarshall(image as Record<string, AttributeValue>, unmarshallOptions),
  );
  const key = parseKey(keyIn(keys));
  if (key?.kind !== 'item') return [];
  const [before, after] = [old && readItem(old).item, current && readItem(current).item];
  const fields = fieldChanges(before, after);
  if (fields.length === 0) return [];
  const streamedAt = (dynamodb.ApproximateCreationDateTime ?? 0) * 1_000;
  const kind = before === undefined ? 'created' : after === undefined ? 'removed' : 'updated';
  // Only operators remove items.
  const { updatedAt, updatedBy } = after ?? { updatedAt: streamedAt, updatedBy: operatorUser };
  const written = { item: key.id, kind, revision: (after ?? before)?.revision ?? 0, updatedAt, updatedBy } as const;
  return [{ account: key.account, write: { ...written, fields, streamedAt, sequence: dynamodb.SequenceNumber ?? '' } }];
}
