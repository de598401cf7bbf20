import type { Caller } from '../access/caller.ts';
import { createToken, tokenHash } from '../access/tokenFormat.ts';
import type { TimedContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { Session } from '../store/database/database.ts';
import { getRecord, queryPartition } from '../store/database/reads.ts';
import type { Key } from '../store/database/record.ts';
import { transact } from '../store/database/writes.ts';
import { keys, tokenListPartition } from '../store/records/keys.ts';
import type { TokenEntry } from '../store/records/tokenEntryRecord.ts';
import { newTokenEntryRecord, readTokenEntry } from '../store/records/tokenEntryRecord.ts';
import { newTokenRecord } from '../store/records/tokenRecord.ts';
import { noAccount, OperatorError, requireAccount, toOperatorError } from './accounts.ts';

/** Number of hexadecimal digits of the hash that make up a token's id: enough to be unique in an account. */
const idLength = 16;

/**
 * Issues a token and lists it under its account.
 * @returns the token, which is not stored and so cannot be shown again, and its entry
 * @throws OperatorError if there is no such account
 */
export async function issueToken(
  session: Session<TimedContext>,
  caller: Caller,
  now: EpochMs,
): Promise<{ token: string; entry: TokenEntry }> {
  const token = createToken();
  const hash = tokenHash(token);
  const { account, user, permissions, expiresAt } = caller;
  const issuedAt = Math.floor(now / 1000);
  const entry: TokenEntry = { id: hash.slice(0, idLength), hash, user, permissions, issuedAt, expiresAt };
  const put = (Item: Key) => ({ Put: { Item } });
  const parts = {
    account: requireAccount(account),
    token: put(newTokenRecord(token, caller)),
    entry: put(newTokenEntryRecord(account, entry)),
  };
  await transact(session, parts).catch(toOperatorError(() => noAccount(account)));
  return { token, entry };
}

/** The tokens of an account, including expired ones that DynamoDB has not deleted yet. */
export async function listTokens(session: Session<TimedContext>, account: string): Promise<TokenEntry[]> {
  return (await queryPartition(session, tokenListPartition(account))).map(readTokenEntry);
}

/**
 * Revokes a token. The gateway may still accept it for as long as it caches the authorizer's result.
 * @param id the id in {@link listTokens}
 * @throws OperatorError if the account has no such token
 */
export async function revokeToken(session: Session<TimedContext>, account: string, id: string): Promise<void> {
  const listed = await getRecord(session, keys.tokenEntry(account, id));
  if (listed === undefined) throw new OperatorError(`The account ${account} has no token ${id}.`);
  const { hash } = readTokenEntry(listed);
  const remove = (key: Key) => ({ Delete: { Key: key } });
  await transact(session, {
    token: remove(keys.token(hash)),
    entry: remove(keys.tokenEntry(account, id)),
  });
}
