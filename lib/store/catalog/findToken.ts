import type { Caller } from '../../access/caller.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import { getRecord, type TimedSession } from '../database/database.ts';
import { keys } from '../records/keys.ts';
import { readToken } from '../records/tokenRecord.ts';

/** Undefined if there is none. It may have expired, because DynamoDB deletes with a delay. @throws as `readToken` */
export async function findToken(session: TimedSession, token: string): Promise<Caller | undefined> {
  const record = await getRecord(session, keys.token(tokenHash(token)));
  return record && readToken(record);
}
