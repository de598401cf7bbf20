import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A record as the document client gives it: plain values, but perhaps not what this service has written. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** Numbers as JavaScript has them, also integers past 2^53 - 1, which the default refuses to read. */
export const unmarshallOptions = { wrapNumbers: Number };

/**
 * The client that takes and gives records as plain objects. By its defaults it would throw on a metadata key named
 * `constructor`, and on integers past 2^53 - 1. It would drop a key named `__proto__`, which the API refuses.
 */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  // Nothing logs here, but this middleware prepares every message for a log: a tenth of the CPU time of a request.
  client.middlewareStack.remove('loggerMiddleware');
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { convertClassInstanceToMap: true, allowImpreciseNumbers: true },
    // A copy, because the document client adds a member of its own, with which `unmarshall` takes other input.
    unmarshallOptions: { ...unmarshallOptions },
  });
}
