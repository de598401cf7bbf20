import { CommandError } from '../../cli/print.ts';
import { type Caller, isOperatorName, operatorUser } from '../../lib/access/caller.ts';
import { createToken, isWellFormedToken, tokenHash } from '../../lib/access/tokenFormat.ts';
import { type Account, initialUnits } from '../../lib/item/account.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { queryPartition, type TimedSession } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed, conditionAs } from '../../lib/store/database/failures.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { putNew, type TransactItem, transact } from '../../lib/store/database/writes.ts';
import {
  newAccountRecord,
  newUnitRecord,
  readConfiguration,
  requireAccount,
} from '../../lib/store/records/accountRecord.ts';
import {
  configurationPartition,
  isSameKey,
  keyIn,
  keys,
  parseKey,
  tokenListPartition,
} from '../../lib/store/records/keys.ts';
import {
  newTokenEntryRecord,
  newTokenRecord,
  readTokenEntry,
  type TokenEntry,
} from '../../lib/store/records/tokenRecord.ts';
import { type PacedTable, scanTable } from '../table/scanTable.ts';

/** Reads the current account. @throws CommandError if there is none, or it is being deleted */
export async function showAccount(session: TimedSession, account: string): Promise<Account> {
  const records = await queryPartition(session, configurationPartition(account));
  if (records.some((record) => isSameKey(keyIn(record), keys.closure(account))))
    throw new CommandError(isBeingDeleted(account));
  const found = readConfiguration(account, records);
  if (found === undefined) throw new CommandError(noAccount(account));
  return found;
}

export const isBeingDeleted = (account: string): string =>
  `The account ${account} is being deleted. If nobody else is doing that, continue with 'account delete --account ${account}'.`;

export const noAccount = (account: string): string => `There is no account ${account}.`;

/** The ids of all accounts, sorted. There is no index of them, so this reads the whole table. */
export async function listAccounts(table: PacedTable) {
  const [open, beingDeleted]: [string[], string[]] = [[], []];
  await scanTable(table, (records) => {
    for (const key of records.map((record) => parseKey(keyIn(record))))
      if (key?.kind === 'account') open.push(key.account);
      else if (key?.kind === 'closure') beingDeleted.push(key.account);
  });
  return { open: open.sort(), beingDeleted: beingDeleted.sort() };
}

/**
 * Opens an account with the default units. Everything else is configured over HTTP.
 * @returns false if it is open already. Then nothing is changed
 * @throws CommandError if it is being deleted
 */
export async function openAccount(session: TimedSession, account: string): Promise<boolean> {
  const isNotClosed = expressions((use) => ({ ConditionExpression: isAbsent(use) }));
  const parts: Record<string, TransactItem> = {
    account: putNew(newAccountRecord(account)),
    closure: { ConditionCheck: { Key: keys.closure(account), ...isNotClosed } },
  };
  for (const [code, decimals] of initialUnits) parts[`unit ${code}`] = putNew(newUnitRecord(account, code, decimals));
  try {
    await transact(session, parts);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed('closure')) throw new CommandError(isBeingDeleted(account));
    return error.afterLostResponse;
  }
}

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
  await transact(session, parts).catch(conditionAs(() => new CommandError(noAccount(account))));
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
