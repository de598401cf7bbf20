import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { Session } from './database.ts';
import { equals, expressions } from './expressions.ts';
import { type Key, keyAttributes, type StoredRecord } from './record.ts';

const sentAgain = { idempotent: true };

/** A strongly consistent read of one record. */
export async function getRecord(session: Session<TimedContext>, key: Key): Promise<StoredRecord | undefined> {
  const command = new GetCommand({ TableName: session.table, Key: key, ConsistentRead: true });
  return (await session.send(sentAgain, (client, options) => client.send(command, options))).Item;
}

/** Strongly consistent, in any order. Asks again for what DynamoDB leaves out. @param keys up to 100, all different */
export async function getRecords(session: Session<TimedContext>, keys: readonly Key[]): Promise<StoredRecord[]> {
  const { table } = session;
  const records: StoredRecord[] = [];
  const attempts = session.attempts();
  let left: Record<string, unknown>[] = [...keys];
  while (left.length > 0) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } });
    const batch = await session.send(sentAgain, (client, options) => client.send(command, options));
    records.push(...(batch.Responses?.[table] ?? []));
    left = batch.UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length > 0) await attempts.backOff('throttled', new Error('Some records were not read'));
  }
  attempts.succeed();
  return records;
}

/**
 * Reads a few records as they were at one moment: all or none of what a transaction wrote. A query can return some of the
 * records of a transaction that is just being completed, without the others.
 * @returns in the order of the keys; undefined for a missing record
 */
export async function getTogether(
  session: Session<TimedContext>,
  keys: readonly Key[],
): Promise<(StoredRecord | undefined)[]> {
  const TransactItems = keys.map((Key) => ({ Get: { TableName: session.table, Key } }));
  const command = new TransactGetCommand({ TransactItems });
  const { Responses = [] } = await session.send(sentAgain, (client, options) => client.send(command, options));
  return keys.map((_, index) => Responses[index]?.Item);
}

interface QueryPage {
  readonly records: readonly StoredRecord[];
  /** Where the next page starts; undefined on the last page. */
  readonly next: StoredRecord | undefined;
}

export async function queryPage(
  session: Session<TimedContext>,
  input: Omit<QueryCommandInput, 'TableName'>,
): Promise<QueryPage> {
  const command = new QueryCommand({ ...input, TableName: session.table });
  const page = await session.send(sentAgain, (client, options) => client.send(command, options));
  return { records: page.Items ?? [], next: page.LastEvaluatedKey };
}

/** With strongly consistent reads. @param readPage sends a query, for instance within a deadline of its own */
export async function* partitionPages(
  partition: string,
  readPage: (input: Omit<QueryCommandInput, 'TableName'>) => Promise<QueryPage>,
): AsyncGenerator<readonly StoredRecord[]> {
  const condition = expressions((use) => ({ KeyConditionExpression: equals(use, keyAttributes.partition, partition) }));
  let start: StoredRecord | undefined;
  do {
    const page = await readPage({ ...condition, ConsistentRead: true, ExclusiveStartKey: start });
    yield page.records;
    start = page.next;
  } while (start !== undefined);
}

/** A strongly consistent read of one record, with the right to query. @returns it, or nothing */
export const queryKey = async (session: Session<TimedContext>, { pk, sk }: Key): Promise<readonly StoredRecord[]> => {
  const condition = expressions((use) => ({
    KeyConditionExpression: `${equals(use, keyAttributes.partition, pk)} AND ${equals(use, keyAttributes.sort, sk)}`,
  }));
  return (await queryPage(session, { ...condition, ConsistentRead: true })).records;
};

/** A strongly consistent read of all records of a partition. */
export async function queryPartition(session: Session<TimedContext>, partition: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for await (const records of partitionPages(partition, (input) => queryPage(session, input))) all.push(...records);
  return all;
}
