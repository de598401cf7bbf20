import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../cli/localCredentials.ts';
import type { TableDefinition } from '../template/deployment.ts';

/**
 * Creates a table as the stack defines it, unless it exists.
 * @param endpoint DynamoDB's address
 * @param name the table's name
 * @param definition the template's table
 */
export async function createTable(endpoint: string, name: string, definition: TableDefinition): Promise<void> {
  const client = new DynamoDBClient({ endpoint, ...localClientConfig() });
  try {
    await client.send(new CreateTableCommand({ ...definition.schema, TableName: name }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName: name });
  await enableTimeToLive(client, name, definition.expiryAttribute);
  client.destroy();
}

/** DynamoDB refuses to enable what is enabled, so ask first. */
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
