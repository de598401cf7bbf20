import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import { keyAttributes } from '../records/keys.ts';
import type { StoredRecord } from './documentClient.ts';
import { TableReader } from './tableReader.ts';

/** Also reads whole partitions. */
export class PartitionReader extends TableReader {
  /** A strongly consistent read of all records of a partition. */
  async query(context: TimedContext, partition: string): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': keyAttributes.partition },
        ExpressionAttributeValues: { ':pk': partition },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      });
      const page = await this.send(context, { idempotent: true }, (client, options) => client.send(command, options));
      records.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return records;
  }
}
