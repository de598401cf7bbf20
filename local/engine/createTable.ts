import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  type StreamViewType,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../cli/localCredentials.ts';
import type { TableDefinition } from '../template/deployment.ts';

/**
 * Creates a table as defined by the stack. If it already exists, for example from an earlier version, adds missing
 * indexes and its stream as a deployment would.
 */
export async function createTable(endpoint: string, name: string, definition: TableDefinition): Promise<void> {
  const client = new DynamoDBClient({ endpoint, ...localClientConfig() });
  try {
    await client.send(new CreateTableCommand({ ...definition.schema, TableName: name }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: name });
  await addIndexes(client, name, definition);
  if (definition.stream !== undefined) await enableStream(client, name, definition.stream);
  await enableTimeToLive(client, name, definition.expiryAttribute);
  client.destroy();
}

async function addIndexes(client: DynamoDBClient, TableName: string, { schema }: TableDefinition): Promise<void> {
  const { AttributeDefinitions, GlobalSecondaryIndexes = [] } = schema;
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  const existing = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const Create of GlobalSecondaryIndexes.filter(({ IndexName }) => !existing.has(IndexName))) {
    const update = { TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] };
    await client.send(new UpdateTableCommand(update));
  }
}

async function enableStream(client: DynamoDBClient, TableName: string, StreamViewType: StreamViewType): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (Table?.StreamSpecification?.StreamEnabled) return;
  const StreamSpecification = { StreamEnabled: true, StreamViewType };
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
}

/** DynamoDB rejects enabling TTL twice, so check first. */
async function enableTimeToLive(
  client: DynamoDBClient,
  TableName: string,
  attribute: string | undefined,
): Promise<void> {
  if (attribute === undefined) return;
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  const TimeToLiveSpecification = { AttributeName: attribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
}
