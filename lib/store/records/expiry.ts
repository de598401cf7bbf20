import type { EpochMs } from '../../item/epoch.ts';
import { expressions } from '../database/expressions.ts';
import { type Key, keyAttributes, type StoredRecord } from '../database/record.ts';

/** Whether a record has expired, which DynamoDB deletes with a delay. */
export const hasExpired = (record: StoredRecord, now: EpochMs): boolean =>
  Number(record[keyAttributes.expiry]) * 1_000 <= now;

/** An update that keeps DynamoDB from deleting a record. It does not recreate a record that is already deleted. */
export const removeExpiry = (key: Key) => ({
  Key: key,
  ...expressions(({ name }) => ({
    UpdateExpression: `REMOVE ${name(keyAttributes.expiry)}`,
    ConditionExpression: `attribute_exists(${name(keyAttributes.expiry)})`,
  })),
});
