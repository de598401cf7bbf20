import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { Attributes } from '../../lib/store/database/attributes.ts';

/** All records of a table as they are stored, the guards and counters among them. */
export async function scanAll(client: DynamoDBClient, table: string): Promise<Attributes[]> {
  const records: Attributes[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    records.push(...(page.Items ?? []));
  return records;
}
