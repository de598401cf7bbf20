import * as z from 'zod/mini';
import type { Caller } from '../../access/caller.ts';
import type { EpochSeconds } from '../../item/epoch.ts';
import { keyAttributes, type StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';
import { storedPermissions } from './tokenRecord.ts';

/** A token as operators see it, without the token itself. */
export interface TokenEntry {
  /** The id shown to operators: the first digits of the hash. */
  readonly id: string;
  readonly hash: string;
  readonly user: string;
  readonly permissions: Caller['permissions'];
  readonly issuedAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
}

const shape = z.object({
  id: z.string(),
  hash: z.string(),
  user: z.string(),
  permissions: storedPermissions,
  issued_at: z.int(),
  [keyAttributes.expiry]: z.int(),
});

/** The record that lists a token under its account. */
export const newTokenEntryRecord = (account: string, { issuedAt, expiresAt, ...entry }: TokenEntry) => ({
  ...keys.tokenEntry(account, entry.id),
  ...entry,
  issued_at: issuedAt,
  [keyAttributes.expiry]: expiresAt,
});

export function readTokenEntry(record: StoredRecord): TokenEntry {
  const { issued_at, [keyAttributes.expiry]: expiresAt, ...entry } = shape.parse(record);
  return { ...entry, issuedAt: issued_at, expiresAt };
}
