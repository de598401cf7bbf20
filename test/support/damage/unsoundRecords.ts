import { problemOf } from '../../../admin/table/recordProblem.ts';
import { maxUnitDecimals } from '../../../lib/item/account.ts';
import { type FieldName, fields } from '../../../lib/item/fields.ts';
import { limits } from '../../../lib/item/limits.ts';
import { hasExpired, type Key, keyAttributes, type StoredRecord } from '../../../lib/store/database/record.ts';
import { readAccount, readUnit } from '../../../lib/store/records/accountRecord.ts';
import { latestExpiry } from '../../../lib/store/records/idempotencyRecord.ts';
import { readItem } from '../../../lib/store/records/itemRecord.ts';
import { isSameKey, keyIn, keys, parseKey, type RecordKind } from '../../../lib/store/records/keys.ts';

type Find = (key: Key) => StoredRecord | undefined;

/**
 * Finds in a snapshot of a table what no request, import, restore or deletion may leave behind, and `verify` does not
 * look for, because after those only hands could damage it: references to what is not there, wrong expiries, and
 * numbers out of bounds.
 * @param now milliseconds since 1970
 */
export function unsoundRecords(all: readonly StoredRecord[], now: number): string[] {
  const textOf = ({ pk, sk }: Key) => JSON.stringify({ pk, sk });
  const named = new Map(all.map((record) => [textOf(keyIn(record)), record]));
  return all.flatMap((record) => {
    const kind = parseKey(keyIn(record));
    if (kind === undefined) return [];
    const wrong = [
      ...wrongReferences(record, kind, now, (key) => named.get(textOf(key))),
      ...wrongExpiry(record, kind, now),
      ...(problemOf(record) === undefined ? wrongNumbers(record, kind) : []),
    ];
    return wrong.map((what) => `${textOf(keyIn(record))} ${what}`);
  });
}

function wrongReferences(record: StoredRecord, kind: RecordKind, now: number, find: Find): string[] {
  const { unit, category, default_category: byDefault, item } = record;
  const unknown = (what: string, key: Key) => (find(key) === undefined ? [`names a missing ${what}`] : []);
  switch (kind.kind) {
    case 'item':
      return [
        ...unknown('unit', keys.unit(kind.account, String(unit))),
        ...(category === undefined ? [] : unknown('category', keys.category(kind.account, Number(category)))),
      ];
    case 'account':
      return byDefault === undefined || find(keys.category(kind.account, Number(byDefault)))?.['archived'] === false
        ? []
        : ['has a default category that is missing or archived'];
    case 'idempotency': {
      const key = keyIn(item as StoredRecord);
      const isOwn = isSameKey(key, keys.item(kind.account, Number((item as StoredRecord)['id'])));
      if (hasExpired(record, now)) return [];
      return isOwn ? unknown('item', key) : ['names an item of another account'];
    }
    default:
      return [];
  }
}

function wrongExpiry(record: StoredRecord, { kind }: RecordKind, now: number): string[] {
  const end = record[keyAttributes.expiry];
  if (kind === 'token' || kind === 'token entry') return [];
  if (kind === 'idempotency') return Number(end) <= latestExpiry(now) ? [] : ['never expires, or too late'];
  return end === undefined ? [] : ['would expire'];
}

function wrongNumbers(record: StoredRecord, { kind }: RecordKind): string[] {
  const outside = (name: string, value: number, max: number, min = 0) =>
    value >= min && value <= max ? [] : [`has the ${name} ${value}`];
  if (kind === 'account') return outside('default tax', readAccount(record).default_tax, limits.tax.max);
  if (kind === 'unit') return outside('number of decimals', readUnit(record).decimals, maxUnitDecimals);
  if (kind !== 'item') return [];
  const { item } = readItem(record);
  return [
    ...Object.entries(fields).flatMap(([name, row]) => {
      const value = item[name as FieldName];
      return typeof value === 'number' && 'limits' in row ? outside(name, value, row.limits.max) : [];
    }),
    ...outside('revision', item.revision, Number.MAX_SAFE_INTEGER, 1),
    ...outside('number of metadata keys', Object.keys(item.metadata).length, limits.metadata.keysStored),
  ];
}
