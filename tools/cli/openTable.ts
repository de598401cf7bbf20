import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ScanSource } from '../../lib/operator/scanTable.ts';
import { documentClient, openDatabase } from '../../lib/store/database/connect.ts';
import type { Database } from '../../lib/store/database/database.ts';
import type { TableLocation } from './findTable.ts';

/** A table for commands that process all of it. */
export interface OpenTable {
  readonly database: Database;
  readonly source: ScanSource;
}

/**
 * A client with the SDK's own retries, for calls that may take longer than an API request, such as a page of a scan.
 */
export const patientClient = ({ table: _table, dynamodb, ...signing }: TableLocation): DynamoDBClient =>
  new DynamoDBClient({
    ...signing,
    ...(dynamodb !== undefined && { endpoint: dynamodb }),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });

export const openTable = (location: TableLocation): OpenTable => ({
  database: openDatabase(location),
  source: { client: documentClient(patientClient(location)), table: location.table },
});
