import * as z from 'zod/mini';
import type { Caller } from '../../access/caller.ts';
import { permissions } from '../../access/permissions.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { keyAttributes, keys } from './keys.ts';

/** A token as operators see it: everything but the token. */
export interface TokenEntry {
  /** Names it to operators: the beginning of its hash. */
  readonly id: string;
  /** The hexadecimal SHA-256 of the token. */
  readonly hash: string;
  readonly user: string;
  readonly permissions: Caller['permissions'];
  /** In seconds since 1970, as the token's end. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

const shape = z.object({
  id: z.string(),
  hash: z.string(),
  user: z.string(),
  permissions: z.array(z.enum(permissions)),
  issued_at: z.int(),
  [keyAttributes.expiry]: z.int(),
});

/** Lists a token under its account. */
export const newTokenEntryRecord = (account: string, { issuedAt, expiresAt, ...entry }: TokenEntry) => ({
  ...keys.tokenEntry(account, entry.id),
  ...entry,
  issued_at: issuedAt,
  [keyAttributes.expiry]: expiresAt,
});

/** @throws an error when the record is not a token's entry */
export function readTokenEntry(record: StoredRecord): TokenEntry {
  const { issued_at, [keyAttributes.expiry]: expiresAt, ...entry } = shape.parse(record);
  return { ...entry, issuedAt: issued_at, expiresAt };
}
