import { randomUUID } from 'node:crypto';
import {
  DeleteCommand,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { CommandOptions, TimedSession } from './database.ts';
import { expressions, isAbsent } from './expressions.ts';
import type { Key, StoredRecord } from './record.ts';

type PartInput = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a transaction. */
export type TransactItem = { readonly [Kind in keyof PartInput]?: Omit<NonNullable<PartInput[Kind]>, 'TableName'> };

/** The writes of a transaction, each under a name. A failed condition reports the names of the parts that failed. */
export type TransactionParts = Readonly<Record<string, TransactItem>>;

/** The part's name in a write to a single record. */
const onlyPart = ['item'];

/** @throws ConditionFailed, of the part `item`. After a lost response, it may fail because this put succeeded */
export async function putRecord(session: TimedSession, input: Omit<PutCommandInput, 'TableName'>): Promise<void> {
  const command = new PutCommand({ ...input, TableName: session.table });
  await session.send({ idempotent: true, parts: onlyPart }, (client, options) => client.send(command, options));
}

export type RecordUpdate = Omit<UpdateCommandInput, 'TableName' | 'ReturnValues'>;

/**
 * @returns the whole record after the update @throws ConditionFailed, of the part `item`; UnknownOutcome if it must not
 * be sent twice (`idempotent`) and its response was lost
 */
export async function updateRecord(
  session: TimedSession,
  input: RecordUpdate,
  { idempotent }: Pick<CommandOptions, 'idempotent'>,
): Promise<StoredRecord> {
  const command = new UpdateCommand({ ...input, TableName: session.table, ReturnValues: 'ALL_NEW' });
  const sendOptions = { idempotent, parts: onlyPart };
  const { Attributes } = await session.send(sendOptions, (client, options) => client.send(command, options));
  return Attributes ?? {};
}

/**
 * Writes all parts or none. Every attempt has the same client token, so DynamoDB executes the transaction once. It
 * does not remember cancelled transactions: after one, a delayed first attempt can still succeed.
 * @throws ConditionFailed, which names the parts whose conditions failed; UnknownOutcome if its response was lost, and
 * the caller resolves that (`idempotent: false`)
 */
export async function transact(
  session: TimedSession,
  parts: TransactionParts,
  { idempotent = true, isFinal }: Partial<CommandOptions> = {},
): Promise<void> {
  const command = new TransactWriteCommand({
    TransactItems: Object.values(parts).map((part) => inTable(part, session.table)),
    ClientRequestToken: randomUUID(),
  });
  const sendOptions = { idempotent, parts: Object.keys(parts), isFinal };
  await session.send(sendOptions, (client, options) => client.send(command, options));
}

const inTable = (part: TransactItem, table: string): PartInput =>
  Object.fromEntries(Object.entries(part).map(([kind, input]) => [kind, { ...input, TableName: table }]));

/** Deletes one record, whatever it contains. */
export async function deleteRecord(session: TimedSession, key: Key): Promise<void> {
  const command = new DeleteCommand({ TableName: session.table, Key: key });
  await session.send({ idempotent: true }, (client, options) => client.send(command, options));
}

/** Puts a record that must not exist yet. */
export const putNew = (record: StoredRecord): TransactItem => ({
  Put: { Item: { ...record }, ...expressions((use) => ({ ConditionExpression: isAbsent(use) })) },
});
