import type { EpochMs } from '../../item/epoch.ts';

/** A record as the document client returns it: plain values, not validated yet. */
export type StoredRecord = Readonly<Record<string, unknown>>;

export type Key = { readonly pk: string; readonly sk: string };

/** The table's key attributes and its TTL attribute. */
export const keyAttributes = { partition: 'pk', sort: 'sk', expiry: 'expires_at' } as const;

/** How records are decoded: all numbers as JavaScript numbers. By default, integers above 2^53 - 1 are an error. */
export const unmarshallOptions = { wrapNumbers: Number };

/** Whether a record has expired, which DynamoDB deletes with a delay. */
export const hasExpired = (record: StoredRecord, now: EpochMs): boolean =>
  Number(record[keyAttributes.expiry]) * 1_000 <= now;
