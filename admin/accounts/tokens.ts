import { CommandError } from '../../cli/commandError.ts';
import { type Caller, isOperatorName, operatorUser } from '../../lib/access/caller.ts';
import { createToken, isWellFormedToken, tokenHash } from '../../lib/access/tokenFormat.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { queryPartition, type TimedSession } from '../../lib/store/database/database.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { transact } from '../../lib/store/database/writes.ts';
import { requireAccount } from '../../lib/store/records/accountRecord.ts';
import { keys, tokenListPartition } from '../../lib/store/records/keys.ts';
import {
  newTokenEntryRecord,
  newTokenRecord,
  readTokenEntry,
  type TokenEntry,
} from '../../lib/store/records/tokenRecord.ts';
import { explained } from '../table/operatorSession.ts';
import { noAccount } from './accounts.ts';

/** A token's id is the beginning of its hash, long enough to be unique in an account. */
const idOf = (hash: string): string => hash.slice(0, 16);

/**
 * Issues a token and lists it under its account.
 * @returns the token, which is not stored and so cannot be shown again, and its entry
 * @throws CommandError if there is no such account, or the user's name is reserved
 */
export async function issueToken(session: TimedSession, caller: Caller, now: EpochMs) {
  if (isOperatorName(caller.user))
    throw new CommandError(
      `No user can have the name ${operatorUser}, or one that looks like it: what operators write is recorded under it.`,
    );
  const token = createToken();
  const hash = tokenHash(token);
  const { account, user, permissions, expiresAt } = caller;
  const issuedAt = Math.floor(now / 1000);
  const entry: TokenEntry = { id: idOf(hash), hash, user, permissions, issuedAt, expiresAt };
  const put = (Item: Key) => ({ Put: { Item } });
  const parts = {
    account: requireAccount(account),
    token: put(newTokenRecord(token, caller)),
    entry: put(newTokenEntryRecord(account, entry)),
  };
  await transact(session, parts).catch(explained(() => noAccount(account)));
  return { token, entry };
}

/** The tokens of an account, including expired ones that DynamoDB has not deleted yet. */
export async function listTokens(session: TimedSession, account: string): Promise<TokenEntry[]> {
  return (await queryPartition(session, tokenListPartition(account))).map(readTokenEntry);
}

/** Finds the caller of a token. @throws CommandError if it is no token, or no longer stored */
export async function identifyToken(session: TimedSession, token: string): Promise<Caller & Pick<TokenEntry, 'id'>> {
  if (!isWellFormedToken(token)) throw new CommandError('This is not a whole token of this service.');
  const caller = await findToken(session, token);
  if (caller === undefined)
    throw new CommandError('This token is not valid here: it was revoked, has expired, or is of another environment.');
  return { ...caller, id: idOf(tokenHash(token)) };
}

/**
 * Revokes a token, or all tokens of a user. The gateway accepts them until its cache expires. Can be repeated if it fails.
 * @returns their ids
 * @throws CommandError if there are none
 */
export async function revokeTokens(
  session: TimedSession,
  account: string,
  [name, value]: readonly ['id' | 'user', string],
): Promise<string[]> {
  const listed = await queryPartition(session, tokenListPartition(account));
  const entries = listed.filter((record) => record[name] === value).map(readTokenEntry);
  const what = name === 'id' ? value : `of the user ${value}`;
  if (entries.length === 0) throw new CommandError(`The account ${account} has no token ${what}.`);
  const deleted = (Key: Key) => ({ Delete: { Key } });
  for (const { id, hash } of entries)
    await transact(session, { token: deleted(keys.token(hash)), entry: deleted(keys.tokenEntry(account, id)) });
  return entries.map(({ id }) => id);
}
