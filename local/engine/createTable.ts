import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../cli/localCredentials.ts';
import type { TableDefinition } from '../template/readDeployment.ts';

/**
 * Creates a table as defined by the stack. If it exists already, for example from an earlier version, adds missing
 * indexes, its stream and its time-to-live as a deployment would.
 */
export async function createTable(endpoint: string, TableName: string, definition: TableDefinition): Promise<void> {
  const { schema, stream, expiryAttribute } = definition;
  const client = new DynamoDBClient({ endpoint, ...localClientConfig() });
  try {
    await client.send(new CreateTableCommand({ ...schema, TableName }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName });
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = schema;
  const existing = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const Create of GlobalSecondaryIndexes.filter(({ IndexName }) => !existing.has(IndexName))) {
    const update = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] };
    await client.send(new UpdateTableCommand(update));
  }
  if (stream !== undefined && !Table?.StreamSpecification?.StreamEnabled) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: stream };
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  }
  if (expiryAttribute !== undefined) await enableTimeToLive(client, TableName, expiryAttribute);
  client.destroy();
}

/** DynamoDB rejects enabling TTL twice, so check first. */
async function enableTimeToLive(client: DynamoDBClient, TableName: string, AttributeName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  const TimeToLiveSpecification = { AttributeName, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}
