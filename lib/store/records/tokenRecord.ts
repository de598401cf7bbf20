import * as z from 'zod/mini';
import type { Caller } from '../../access/caller.ts';
import { permissions } from '../../access/permissions.ts';
import { tokenHash } from '../../access/tokenFormat.ts';
import type { TimedContext } from '../../catalog/catalogStore.ts';
import type { Attributes } from '../database/attributes.ts';
import { fromAttributes, toAttributes } from '../database/attributes.ts';
import type { Database } from '../database/database.ts';
import { keyOf } from '../database/database.ts';
import { keyAttributes, keys } from './keys.ts';

const shape = z.object({
  account: z.string(),
  user: z.string(),
  permissions: z.array(z.enum(permissions)),
  [keyAttributes.expiry]: z.int(),
});

/** The record of a token, which holds everything but the token. */
export const tokenRecord = (token: string, { expiresAt, ...caller }: Caller): Attributes => ({
  ...keyOf(keys.token(tokenHash(token))),
  ...toAttributes({ ...caller, [keyAttributes.expiry]: expiresAt }),
});

/**
 * On whose behalf a token speaks.
 * @returns undefined when there is no such token, or no longer: DynamoDB deletes expired records only some time after
 * @throws an error when the record cannot be read
 */
export async function findToken(database: Database, work: TimedContext, token: string): Promise<Caller | undefined> {
  const attributes = await database.get(work, keys.token(tokenHash(token)));
  if (attributes === undefined) return undefined;
  const { [keyAttributes.expiry]: expiresAt, ...caller } = shape.parse(fromAttributes(attributes));
  return { ...caller, expiresAt };
}
