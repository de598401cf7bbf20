import * as z from 'zod/mini';
import { maxUnitDecimals } from '../../lib/item/account.ts';
import { type FieldName, fields } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { readAccount, readCategory, readClosure, readUnit } from '../../lib/store/records/accountRecord.ts';
import { readCounter } from '../../lib/store/records/counterRecord.ts';
import { readGuard } from '../../lib/store/records/guardRecord.ts';
import { readIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { isSameKey, keyIn, parseKey, type RecordKind } from '../../lib/store/records/parseKey.ts';
import { readTokenEntry } from '../../lib/store/records/tokenEntryRecord.ts';
import { readToken } from '../../lib/store/records/tokenRecord.ts';

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
  closure: readClosure,
  guard: readGuard,
  counter: readCounter,
  idempotency: readIdempotencyRecord,
  token: readToken,
} as const;

/**
 * Finds what no request could have written in a readable record: numbers out of bounds, and metadata with so many keys
 * that updates would fail. Not texts, for which there were other rules before.
 * @returns words that continue "The record …"; undefined if nothing is wrong
 */
export function valueProblem(record: StoredRecord): string | undefined {
  const wrong = wrongValues(record);
  return wrong.length === 0 ? undefined : `has ${wrong.join(' and ')}`;
}

function wrongValues(record: StoredRecord): string[] {
  switch (parseKey(keyIn(record))?.kind) {
    case 'item':
      return wrongInItem(record);
    case 'account':
      return outside('default tax', readAccount(record).default_tax, 0, limits.tax.max);
    case 'unit':
      return outside('number of decimals', readUnit(record).decimals, 0, maxUnitDecimals);
    default:
      return [];
  }
}

function wrongInItem(record: StoredRecord): string[] {
  const { item } = readItem(record);
  const { length } = Object.keys(item.metadata);
  return [
    ...Object.entries(fields).flatMap(([name, row]) => {
      const value = item[name as FieldName];
      return typeof value === 'number' && 'limits' in row ? outside(name, value, 0, row.limits.max) : [];
    }),
    ...outside('revision', item.revision, 1, Number.MAX_SAFE_INTEGER),
    ...(length > limits.metadata.keysStored ? [`${length} metadata keys`] : []),
  ];
}

const outside = (name: string, value: number, min: number, max: number): string[] =>
  value >= min && value <= max ? [] : [`the ${name} ${value}`];
