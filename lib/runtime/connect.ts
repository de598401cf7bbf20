import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../store/database/database.ts';
import { documentClient } from '../store/database/documentClient.ts';
import { httpHandler } from '../store/database/httpHandler.ts';

/** The SDK determines everything that is undefined. */
interface ClientOptions {
  /** The address of DynamoDB. */
  readonly dynamodb?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: DynamoDBClientConfig['credentials'];
}

/**
 * A client that does only what is needed for each request. It sends each request once, because the store retries, and
 * limits the time for the whole exchange.
 */
export function connect({ dynamodb, region, credentials }: ClientOptions): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(dynamodb !== undefined && { endpoint: dynamodb }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 1,
    requestHandler: httpHandler(),
  });
  // The request handler sets the header instead.
  client.middlewareStack.remove('getUserAgentMiddleware');
  // The SDK's own retry middleware prepares for retries even if there is only one attempt. Keep its name, because the
  // signing middleware is placed relative to it.
  client.middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
  return documentClient(client);
}

/** Opens a table, once for each container or command. */
export const openDatabase = (options: ClientOptions & { readonly table: string }): Database =>
  new Database(connect(options), options.table);
