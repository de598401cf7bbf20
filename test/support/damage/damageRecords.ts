import { randomUUID } from 'node:crypto';
import type { WriteRequest } from '@aws-sdk/client-dynamodb';
import type { Finding } from '../../../admin/verification/verifyTable.ts';
import { tokenHash } from '../../../lib/access/tokenFormat.ts';
import type { IdentifierName } from '../../../lib/item/fields.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { newTokenEntryRecord, newTokenRecord } from '../../../lib/store/records/tokenRecord.ts';
import { now, put } from '../table/storedRecords.ts';

export const without = (record: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

export const codeFinding = (
  kind: Finding['kind'],
  name: IdentifierName,
  code: string,
  owner: number | null,
  holders: number[],
) => ({ kind, name, code, owner, holders });

export const second = Math.floor(now / 1_000);

export const ids = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The account's own record, as {@link fill} leaves it. */
export const accountRecord = (account: string): JsonObject => ({
  ...keys.account(account),
  default_tax: 0,
  last_category: 2,
  default_category: 1,
});

/** A token and its list entry, valid for an hour, with given differences in either. */
export function tokenPair(account: string, inToken: object = {}, inEntry: object = {}): WriteRequest[] {
  const token = randomUUID();
  const hash = tokenHash(token);
  const terms = { user: 'u', permissions: ['catalog:edit'] as const, expiresAt: second + 3_600 };
  const entry = newTokenEntryRecord(account, { id: hash.slice(0, 16), hash, issuedAt: second, ...terms });
  return [put({ ...newTokenRecord(token, { account, ...terms }), ...inToken }), put({ ...entry, ...inEntry })];
}

export const idempotencyRecord = (account: string, copy: JsonObject): JsonObject => ({
  ...keys.idempotency(account, tokenHash(randomUUID())),
  fingerprint: 'a',
  item: copy,
  expires_at: second + 3_600,
});

export const unreadable = (...attributes: string[]) =>
  attributes.map((attribute) => ({
    kind: 'unreadable record',
    problem: `has a missing or wrong attribute ${attribute}`,
  }));

/** A way to damage an account of {@link fill}. */
export interface Damage {
  readonly name: string;
  readonly writes: (account: string) => WriteRequest[];
  /** The findings, without account, hash and key. */
  readonly found: unknown[];
}
