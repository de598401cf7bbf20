import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { documentClient } from '../../../../lib/store/database/documentClient.ts';

it('the document client prepares no message for a log that nobody writes', () => {
  const client = new DynamoDBClient({ region: 'local' });
  documentClient(client);
  const names = client.middlewareStack.identify().map((text) => text.split(' ')[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'getUserAgentMiddleware',
    'hostHeaderMiddleware',
    'recursionDetectionMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});
