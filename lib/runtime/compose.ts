import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TokenStore } from '../access/authorize.ts';
import type { Dependencies } from '../http/operation.ts';
import { Database } from '../store/database.ts';
import { dynamoCatalog } from '../store/dynamoCatalog.ts';
import { findToken } from '../store/tokenRecords.ts';
import { readEnvironment } from './environment.ts';
import { report } from './log.ts';

/**
 * The database of a function, with the SDK's retries off (the store has its own) and timeouts that throw, in milliseconds.
 * @param source `process.env`, or its like
 */
export function openDatabase(source: Readonly<Record<string, string | undefined>>): Database {
  const { table, dynamodb } = readEnvironment(source);
  const client = new DynamoDBClient({
    ...(dynamodb !== undefined && { endpoint: dynamodb }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
  return new Database(client, table);
}

/** What the item functions are made of. */
export const itemDependencies = (database: Database): Dependencies => ({
  catalog: dynamoCatalog(database),
  now: Date.now,
  unique: randomUUID,
  report,
});

/** What the authorizer is made of. */
export const authorizerDependencies = (database: Database): { tokens: TokenStore; now: () => number } => ({
  tokens: { find: (work, token) => findToken(database, work, token) },
  now: Date.now,
});
