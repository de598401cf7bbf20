import * as z from 'zod/mini';
import type { Caller } from '../../access/caller.ts';
import type { Permission } from '../../access/permissions.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import { keyAttributes, type StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

/** A later version may have added permissions, which no check of this one asks for. */
export const storedPermissions = z.array(
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
