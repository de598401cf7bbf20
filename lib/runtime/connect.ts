import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../store/database/documentClient.ts';
import { httpHandler } from '../store/database/httpHandler.ts';

/** What is undefined or left out is for the SDK to find out. */
export interface ClientOptions {
  /** The address of DynamoDB. */
  readonly dynamodb?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: DynamoDBClientConfig['credentials'];
}

/**
 * A client that does for each message what is needed and no more. It sends each message once, as the store has the
 * retries, and bounds the time for its answer.
 */
export function connect({ dynamodb, region, credentials }: ClientOptions): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    ...(dynamodb !== undefined && { endpoint: dynamodb }),
    ...(region !== undefined && { region }),
    ...(credentials !== undefined && { credentials }),
    maxAttempts: 1,
    requestHandler: httpHandler(),
  });
  // The handler names the service instead.
  client.middlewareStack.remove('getUserAgentMiddleware');
  // Even for one attempt, the SDK's own prepares for more. The signature finds its place by the name.
  client.middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
  return documentClient(client);
}
