import * as z from 'zod/mini';
import type { Caller, Permission } from '../../access/caller.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import { keyAttributes, type StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

/** A later version may have added permissions, which no check of this one asks for. */
const storedPermissions: z.ZodMiniType<Caller['permissions']> = z.array(
  z.custom<Permission>((value) => typeof value === 'string' && !value.includes(' ')),
);

const shape = z.object({
  account: z.string(),
  user: z.string(),
  permissions: storedPermissions,
  [keyAttributes.expiry]: z.int(),
});

/** The record of a token. It does not contain the token itself, only its hash. */
export const newTokenRecord = (token: string, { expiresAt, ...caller }: Caller) => ({
  ...keys.token(tokenHash(token)),
  ...caller,
  [keyAttributes.expiry]: expiresAt,
});

/** Reads the caller of a token. @throws an error if the record is not a token record */
export function readToken(record: StoredRecord): Caller {
  const { [keyAttributes.expiry]: expiresAt, ...caller } = shape.parse(record);
  return { ...caller, expiresAt };
}

const entryShape = z.object({
  /** The id shown to operators: the first digits of the hash. */
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

export function readTokenEntry(record: StoredRecord) {
  const { issued_at, [keyAttributes.expiry]: expiresAt, ...entry } = entryShape.parse(record);
  return { ...entry, issuedAt: issued_at, expiresAt };
}

/** A token as operators see it, without the token itself. */
export type TokenEntry = Readonly<ReturnType<typeof readTokenEntry>>;
