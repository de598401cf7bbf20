import { randomUUID } from 'node:crypto';
import type { PutCommandInput, TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { StoredRecord } from './documentClient.ts';
import { PartitionReader } from './partitionReader.ts';
import type { SendOptions } from './tableReader.ts';

/** One write of a transaction. */
export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The writes of a transaction, each under a name. A failed condition reports the names of the parts that failed. */
export type TransactionParts = Readonly<Record<string, TransactItem>>;

/** The part's name in a write to a single record. */
const onlyPart = ['item'];

/** Writes to the table. */
export class Database extends PartitionReader {
  /**
   * Puts one record.
   * @throws ConditionFailed, of the part `item`. After a lost answer, the condition may fail because this put
   * succeeded.
   */
  async put(context: TimedContext, input: Omit<PutCommandInput, 'TableName'>): Promise<void> {
    const command = new PutCommand({ ...input, TableName: this.table });
    const options = { idempotent: true, parts: onlyPart };
    await this.send(context, options, (client, sending) => client.send(command, sending));
  }

  /**
   * Updates one record.
   * @param options whether the update may be sent twice
   * @returns the whole record after the update
   * @throws ConditionFailed, of the part `item`; UnknownOutcome if it is not idempotent and its answer was lost
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
   * Writes all parts or none. Every attempt has the same client token, so DynamoDB executes the transaction once. It
   * does not remember refused transactions: after a refusal, a delayed first attempt can still succeed.
   * @param options `idempotent: false` if the caller resolves a lost answer
   * @throws ConditionFailed, which names the parts whose conditions failed; UnknownOutcome if it is not idempotent and
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
