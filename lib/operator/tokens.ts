import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import type { Caller } from '../access/caller.ts';
import { permissions } from '../access/permissions.ts';
import { createToken, tokenHash } from '../access/tokenFormat.ts';
import type { TimedContext } from '../catalog/catalogStore.ts';
import { fromAttributes, toAttributes } from '../store/database/attributes.ts';
import type { Database } from '../store/database/database.ts';
import { keyOf } from '../store/database/database.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import { keyAttributes, keys, tokenListPartition } from '../store/records/keys.ts';
import { tokenRecord } from '../store/records/tokenRecord.ts';
import { noAccount, OperatorError } from './accounts.ts';

/** A token as operators see it: everything but the token. */
export interface TokenEntry {
  /** Names it to operators: the beginning of its hash. */
  readonly id: string;
  readonly user: string;
  readonly permissions: Caller['permissions'];
  /** In seconds since 1970, as the token's end. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const entryShape = z.object({
  id: z.string(),
  hash: z.string(),
  user: z.string(),
  permissions: z.array(z.enum(permissions)),
  issued_at: z.int(),
  [keyAttributes.expiry]: z.int(),
});

/** So many hexadecimal digits of the hash are unlike any other token's of an account. */
const idLength = 16;

/**
 * Issues a token, and lists it under its account.
 * @param now milliseconds since 1970
 * @returns the token, which is not stored and cannot be shown again, and its entry
 * @throws RegistryError when there is no such account
 */
export async function issueToken(
  database: Database,
  work: TimedContext,
  caller: Caller,
  now: number,
): Promise<{ token: string; entry: TokenEntry }> {
  const token = createToken();
  const hash = tokenHash(token);
  const { account, user, permissions: granted, expiresAt } = caller;
  const entry = {
    id: hash.slice(0, idLength),
    user,
    permissions: granted,
    issuedAt: Math.floor(now / 1000),
    expiresAt,
  };
  const listed = { id: entry.id, hash, user, permissions: granted, issued_at: entry.issuedAt };
  const Item = {
    ...keyOf(keys.tokenEntry(account, entry.id)),
    ...toAttributes({ ...listed, [keyAttributes.expiry]: expiresAt }),
  };
  const { table: TableName } = database;
  const open: TransactWriteItem = {
    ConditionCheck: {
      TableName,
      Key: keyOf(keys.account(account)),
      ConditionExpression: 'attribute_exists(#pk)',
      ExpressionAttributeNames: { '#pk': keyAttributes.partition },
    },
  };
  const puts = [{ Put: { TableName, Item: tokenRecord(token, caller) } }, { Put: { TableName, Item } }];
  await database.transact(work, [open, ...puts]).catch((error: unknown) => {
    throw error instanceof ConditionFailed ? new OperatorError(noAccount(account)) : error;
  });
  return { token, entry };
}

/** The tokens of an account, the ended ones too until DynamoDB has deleted them. */
export async function listTokens(database: Database, work: TimedContext, account: string): Promise<TokenEntry[]> {
  const records = await database.query(work, tokenListPartition(account));
  return records.map((record) => {
    const { id, user, permissions: granted, issued_at, ...rest } = entryShape.parse(fromAttributes(record));
    return { id, user, permissions: granted, issuedAt: issued_at, expiresAt: rest[keyAttributes.expiry] };
  });
}

/**
 * Revokes a token. The gateway may let it in for as long as it keeps the authorizer's answer.
 * @param id as {@link listTokens} shows it
 * @throws RegistryError when the account has no such token
 */
export async function revokeToken(database: Database, work: TimedContext, account: string, id: string): Promise<void> {
  const listed = await database.get(work, keys.tokenEntry(account, id));
  if (listed === undefined) throw new OperatorError(`The account ${account} has no token ${id}.`);
  const { hash } = entryShape.parse(fromAttributes(listed));
  const remove = (key: { pk: string; sk: string }) => ({ Delete: { TableName: database.table, Key: keyOf(key) } });
  await database.transact(work, [remove(keys.token(hash)), remove(keys.tokenEntry(account, id))]);
}
