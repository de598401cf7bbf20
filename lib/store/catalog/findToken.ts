import type { Caller } from '../../access/caller.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { TableReader } from '../database/tableReader.ts';
import { keys } from '../records/keys.ts';
import { readToken } from '../records/tokenRecord.ts';

/**
 * On whose behalf a token speaks.
 * @returns undefined when there is no such token, or no longer: DynamoDB deletes expired records only some time later
 * @throws an error when the record cannot be read
 */
export async function findToken(table: TableReader, context: TimedContext, token: string): Promise<Caller | undefined> {
  const record = await table.get(context, keys.token(tokenHash(token)));
  return record && readToken(record);
}
