import type { EpochMs } from '../../item/epoch.ts';
import { keyAttributes, type StoredRecord } from '../database/record.ts';

/** Whether a record has expired, which DynamoDB deletes with a delay. */
export const hasExpired = (record: StoredRecord, now: EpochMs): boolean =>
  Number(record[keyAttributes.expiry]) * 1_000 <= now;
