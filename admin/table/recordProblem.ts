import * as z from 'zod/mini';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { readAccount, readCategory, readClosure, readUnit } from '../../lib/store/records/accountRecord.ts';
import { readCounter } from '../../lib/store/records/counterRecord.ts';
import { readGuard } from '../../lib/store/records/guardRecord.ts';
import { readIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { isSameKey, keyIn, keys, parseKey, type RecordKind } from '../../lib/store/records/keys.ts';
import { readToken, readTokenEntry } from '../../lib/store/records/tokenRecord.ts';

/**
 * Checks a single record: whether the store can read it, and whether its content matches its key.
 * @returns words that continue "The record …", without any text from callers; undefined if nothing is wrong
 */
export function problemOf(record: StoredRecord): string | undefined {
  const kind = parseKey(keyIn(record));
  if (kind === undefined) return 'has a key that no kind of record has';
  try {
    const key = contentKeys[kind.kind](record, 'account' in kind ? kind.account : '');
    return key === undefined || isSameKey(key, keyIn(record)) ? undefined : 'belongs under another key';
  } catch (error) {
    if (!(error instanceof z.core.$ZodError)) return 'cannot be read';
    return `has a missing or wrong attribute ${error.issues[0]?.path.join('.')}`;
  }
}

/** Reads a record of each kind. @returns the key that it should have, if its content says so. @throws an error if it cannot be read */
const contentKeys: {
  readonly [Kind in RecordKind['kind']]: (record: StoredRecord, account: string) => Key | undefined;
} = {
  item: (record, account) => keys.item(account, readItem(record).item.id),
  category: (record, account) => keys.category(account, readCategory(record).id),
  unit: (record, account) => keys.unit(account, readUnit(record).code),
  'token entry': (record, account) => keys.tokenEntry(account, readTokenEntry(record).id),
  account: (record) => void readAccount(record),
  closure: (record) => void readClosure(record),
  guard: (record) => void readGuard(record),
  counter: (record) => void readCounter(record),
  idempotency: (record) => void readIdempotencyRecord(record),
  token: (record) => void readToken(record),
};
