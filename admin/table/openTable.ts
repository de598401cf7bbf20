import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfig, documentClient, openDatabase, type TableLocation } from '../../lib/store/sdk/connect.ts';
import type { PacedTable } from './scanTable.ts';

export type OpenTable = Omit<PacedTable, 'limiter'>;

/** A client with the SDK's own retries, for calls that may take longer than a request, such as a page of a scan. */
export const patientClient = (location: TableLocation): DynamoDBClient =>
  new DynamoDBClient({
    ...clientConfig(location),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });

export const openTable = (location: TableLocation): OpenTable => ({
  database: openDatabase(location),
  source: { client: documentClient(patientClient(location)), table: location.table },
});
