import { randomUUID } from 'node:crypto';
import type { PutCommandInput, TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { StoredRecord } from './documentClient.ts';
import { PartitionReader } from './partitionReader.ts';
import type { SendOptions } from './tableReader.ts';

/** One write of a transaction. */
export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction by names of our own, by which a refusal tells which of them failed. */
export type TransactionParts = Readonly<Record<string, TransactItem>>;

/** The name of the only part of a write to one record. */
const onlyPart = ['item'];

/** The table, for whoever writes to it. */
export class Database extends PartitionReader {
  /**
   * Puts one record.
   * @throws ConditionFailed, of the part `item`; after a lost answer, the condition may fail on what this very put has written
   */
  async put(context: TimedContext, input: Omit<PutCommandInput, 'TableName'>): Promise<void> {
    const command = new PutCommand({ ...input, TableName: this.table });
    const options = { idempotent: true, parts: onlyPart };
    await this.send(context, options, (client, sending) => client.send(command, sending));
  }

  /**
   * Updates one record.
   * @param options whether the update may be sent twice
   * @returns the whole record after it
   * @throws ConditionFailed, of the part `item`; UnknownOutcome when it is not idempotent and its answer was lost
   */
  async update(
    context: TimedContext,
    input: Omit<UpdateCommandInput, 'TableName' | 'ReturnValues'>,
    options: Pick<SendOptions, 'idempotent'>,
  ): Promise<StoredRecord> {
    const command = new UpdateCommand({ ...input, TableName: this.table, ReturnValues: 'ALL_NEW' });
    const sendOptions = { ...options, parts: onlyPart };
    const { Attributes } = await this.send(context, sendOptions, (client, sending) => client.send(command, sending));
    return Attributes ?? {};
  }

  /**
   * Writes all parts or none. Every attempt carries the same client token, so that DynamoDB does the work once. It does
   * not remember refused transactions: one that was refused can still be done when its first sending arrives later.
   * @param options `idempotent: false` when a lost answer is for the caller to resolve
   * @throws ConditionFailed, which names the parts whose conditions failed; UnknownOutcome when it is not idempotent and
   * its answer was lost
   */
  async transact(
    context: TimedContext,
    parts: TransactionParts,
    { idempotent = true, isFinal }: Partial<SendOptions> = {},
  ): Promise<void> {
    const command = new TransactWriteCommand({
      TransactItems: Object.values(parts),
      ClientRequestToken: randomUUID(),
    });
    const options = { idempotent, parts: Object.keys(parts), isFinal };
    await this.send(context, options, (client, sending) => client.send(command, sending));
  }
}
