import * as z from 'zod/mini';
import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { readAccount, readCategory, readUnit } from '../../../store/records/accountRecord.ts';
import { readCounter } from '../../../store/records/counterRecord.ts';
import { readGuard } from '../../../store/records/guardRecord.ts';
import { readIdempotencyRecord } from '../../../store/records/idempotencyRecord.ts';
import { readItem } from '../../../store/records/itemRecord.ts';
import type { Key } from '../../../store/records/keys.ts';
import { keyAttributes, keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { isSameKey, keyIn, parseKey } from '../../../store/records/parseKey.ts';
import { readTokenEntry } from '../../../store/records/tokenEntryRecord.ts';
import { readToken } from '../../../store/records/tokenRecord.ts';

/**
 * Checks a single record: whether the store can read it, and whether its content matches its key.
 * @returns words that continue "The record …", without any text from callers; undefined if nothing is wrong
 */
export function problemOf(record: StoredRecord): string | undefined {
  const kind = parseKey(keyIn(record));
  if (kind === undefined) return 'has a key that no kind of record has';
  try {
    return isSameKey(keyByContent(kind, record), keyIn(record)) ? undefined : 'belongs under another key';
  } catch (error) {
    if (!(error instanceof z.core.$ZodError)) return 'cannot be read';
    return `has a missing or wrong attribute ${error.issues[0]?.path.join('.')}`;
  }
}

/** The key that a record should have according to its content. @throws an error if it cannot be read */
function keyByContent(kind: RecordKind, record: StoredRecord): Key {
  switch (kind.kind) {
    case 'item':
      return keys.item(kind.account, readItem(record).item.id);
    case 'category':
      return keys.category(kind.account, readCategory(record).id);
    case 'unit':
      return keys.unit(kind.account, readUnit(record).code);
    case 'token entry':
      return keys.tokenEntry(kind.account, readTokenEntry(record).id);
    default:
      readers[kind.kind](record);
      return keyIn(record);
  }
}

/** Readers of the records whose content does not repeat their key. */
const readers = {
  account: readAccount,
  guard: readGuard,
  counter: readCounter,
  // Its expiry is checked separately, because that can be repaired.
  idempotency: (record: StoredRecord) => readIdempotencyRecord({ ...record, [keyAttributes.expiry]: 0 }),
  token: readToken,
} as const;
