import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { readIdempotencyRecord } from '../../../store/records/idempotencyRecord.ts';
import type { Key } from '../../../store/records/keys.ts';
import { keyAttributes, keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { isSameKey, keyIn, parseKey } from '../../../store/records/parseKey.ts';
import type { IdempotencyFinding, Records } from '../finding.ts';
import type { Suspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { getOrAdd } from './check.ts';
import { IdSet } from './idSet.ts';
import { problemOf } from './recordProblem.ts';

/** The item whose copy an idempotency record holds, as far as it can be seen. */
const copyIn = (record: StoredRecord): StoredRecord => (record['item'] ?? {}) as StoredRecord;

const hasEnded = (record: StoredRecord, now: number): boolean => Number(record[keyAttributes.expiry]) * 1_000 <= now;

/**
 * Whether the items that idempotency records hold are there, and the account's own. Of an item a bit is kept, of an
 * idempotency record about 200 bytes if its item comes by later.
 */
export class IdempotencyCheck implements Check {
  readonly #items = new Map<string, IdSet>();
  /** By the partition key of a record whose item had not come by, that item's id; null: it is suspect in any case. */
  readonly #waiting = new Map<string, number | null>();

  add(kind: RecordKind, record: StoredRecord, now: number): void {
    if (kind.kind === 'item') getOrAdd(this.#items, kind.account, () => new IdSet()).add(kind.id);
    if (kind.kind !== 'idempotency' || hasEnded(record, now)) return;
    const copy = copyIn(record);
    const id = Number(copy['id']);
    const isOwn = isSameKey(keyIn(copy), keys.item(kind.account, id));
    if (!isOwn) this.#waiting.set(keyIn(record).pk, null);
    else if (!this.#has(kind.account, id)) this.#waiting.set(keyIn(record).pk, id);
  }

  #has(account: string, id: number): boolean {
    return this.#items.get(account)?.has(id) ?? false;
  }

  *suspects(): Generator<Suspect> {
    for (const [pk, id] of this.#waiting) {
      const key = { pk, sk: requestSort };
      const place = parseKey(key);
      const isThere = id !== null && place?.kind === 'idempotency' && this.#has(place.account, id);
      if (!isThere) yield { of: 'idempotency record', key };
    }
  }
}

const { sk: requestSort } = keys.idempotency('', '');

/** A record and its item are written at once, and no item is deleted: one that is missing later was missing before. */
export async function recheckIdempotencyRecord(
  records: Records,
  key: Key,
  now: number,
): Promise<IdempotencyFinding | undefined> {
  const record = await records.get(key);
  const place = parseKey(key);
  if (record === undefined || place?.kind !== 'idempotency') return undefined;
  // An unreadable record is a finding of its own.
  if (hasEnded(record, now) || problemOf(record) !== undefined) return undefined;
  const { id } = readIdempotencyRecord({ ...record, [keyAttributes.expiry]: 0 }).item;
  const itemKey = keys.item(place.account, id);
  if (!isSameKey(keyIn(copyIn(record)), itemKey)) return { kind: 'idempotency record of another account', key, id };
  const item = await records.get(itemKey);
  return item === undefined ? { kind: 'idempotency record without item', key, id } : undefined;
}
