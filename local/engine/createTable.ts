import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '../../cli/localCredentials.ts';
import type { TableDefinition } from '../template/readDeployment.ts';

/** Creates a table as defined by the stack, unless it exists already. */
export async function createTable(
  endpoint: string,
  TableName: string,
  { schema, expiryAttribute, stream }: TableDefinition,
): Promise<void> {
  const client = new DynamoDBClient({ endpoint, ...localClientConfig() });
  try {
    const StreamSpecification = stream && { StreamEnabled: true, StreamViewType: stream };
    await client.send(new CreateTableCommand({ ...schema, TableName, StreamSpecification }));
    await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 10 }, { TableName });
    const TimeToLiveSpecification = { AttributeName: expiryAttribute, Enabled: true };
    if (expiryAttribute !== undefined)
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  } finally {
    client.destroy();
  }
}
