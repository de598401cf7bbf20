import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { Key } from '../records/keys.ts';
import type { StoredRecord } from './documentClient.ts';
import { PartitionReader } from './partitionReader.ts';

/** One page of a query's records. */
interface QueryPage {
  readonly records: readonly StoredRecord[];
  /** Where the next page starts; undefined on the last page. */
  readonly next: StoredRecord | undefined;
}

/** Also reads pages of an index, and many records at once. */
export class ListReader extends PartitionReader {
  /** One page of a query. */
  async queryPage(context: TimedContext, input: Omit<QueryCommandInput, 'TableName'>): Promise<QueryPage> {
    const command = new QueryCommand({ ...input, TableName: this.table });
    const page = await this.send(context, { idempotent: true }, (client, options) => client.send(command, options));
    return { records: page.Items ?? [], next: page.LastEvaluatedKey };
  }

  /**
   * A strongly consistent read of up to 100 records, in any order. DynamoDB may leave some out if it throttles or they
   * exceed 16 MB. Those are requested again.
   * @param keys without duplicates
   */
  async getAll(context: TimedContext, keys: readonly Key[]): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    const attempts = this.attempts(context);
    let left: Record<string, unknown>[] = [...keys];
    while (left.length > 0) {
      const command = new BatchGetCommand({ RequestItems: { [this.table]: { Keys: left, ConsistentRead: true } } });
      const batch = await this.send(context, { idempotent: true }, (client, options) => client.send(command, options));
      records.push(...(batch.Responses?.[this.table] ?? []));
      left = batch.UnprocessedKeys?.[this.table]?.Keys ?? [];
      if (left.length > 0) await attempts.backOff('throttled', new Error('Some records were not read'));
    }
    attempts.succeed();
    return records;
  }
}
