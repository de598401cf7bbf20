import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { JsonObject } from '../../../lib/item/json.ts';

/** All stored records of a table, including guards and counters. */
export async function scanAll(client: DynamoDBDocumentClient, table: string): Promise<JsonObject[]> {
  const records: JsonObject[] = [];
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    records.push(...(page.Items ?? []));
  return records;
}
