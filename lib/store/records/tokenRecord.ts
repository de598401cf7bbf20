import * as z from 'zod/mini';
import type { Caller } from '../../access/caller.ts';
import { permissions } from '../../access/permissions.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { keyAttributes, keys } from './keys.ts';

const shape = z.object({
  account: z.string(),
  user: z.string(),
  permissions: z.array(z.enum(permissions)),
  [keyAttributes.expiry]: z.int(),
});

/** The record of a token, which holds everything but the token. */
export const newTokenRecord = (token: string, { expiresAt, ...caller }: Caller) => ({
  ...keys.token(tokenHash(token)),
  ...caller,
  [keyAttributes.expiry]: expiresAt,
});

/**
 * On whose behalf a token speaks.
 * @throws an error when the record is not a token's
 */
export function readToken(record: StoredRecord): Caller {
  const { [keyAttributes.expiry]: expiresAt, ...caller } = shape.parse(record);
  return { ...caller, expiresAt };
}
