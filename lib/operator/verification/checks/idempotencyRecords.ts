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

/** The copy of the item in an idempotency record, or an empty record if there is none. */
const copyIn = (record: StoredRecord): StoredRecord => (record['item'] ?? {}) as StoredRecord;

const hasExpired = (record: StoredRecord, now: number): boolean => Number(record[keyAttributes.expiry]) * 1_000 <= now;

/**
 * Checks that the items in idempotency records exist and belong to the same account. Keeps one bit per item, and about
 * 200 bytes per idempotency record whose item has not been read yet.
 */
export class IdempotencyCheck implements Check {
  readonly #items = new Map<string, IdSet>();
  /**
   * Item ids that have not been read yet, by the partition key of their idempotency record. Null marks a record that is
   * suspect in any case.
   */
  readonly #waiting = new Map<string, number | null>();

  add(kind: RecordKind, record: StoredRecord, now: number): void {
    if (kind.kind === 'item') getOrAdd(this.#items, kind.account, () => new IdSet()).add(kind.id);
    if (kind.kind !== 'idempotency' || hasExpired(record, now)) return;
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
      const parsed = parseKey(key);
      const isThere = id !== null && parsed?.kind === 'idempotency' && this.#has(parsed.account, id);
      if (!isThere) yield { of: 'idempotency record', key };
    }
  }
}

const { sk: requestSort } = keys.idempotency('', '');

/**
 * A record and its item are written in one transaction, and items are never deleted. So an item that is missing now was
 * also missing before.
 */
export async function recheckIdempotencyRecord(
  records: Records,
  key: Key,
  now: number,
): Promise<IdempotencyFinding | undefined> {
  const record = await records.get(key);
  const parsed = parseKey(key);
  if (record === undefined || parsed?.kind !== 'idempotency') return undefined;
  // An unreadable record is a separate finding.
  if (hasExpired(record, now) || problemOf(record) !== undefined) return undefined;
  const { id } = readIdempotencyRecord({ ...record, [keyAttributes.expiry]: 0 }).item;
  const itemKey = keys.item(parsed.account, id);
  if (!isSameKey(keyIn(copyIn(record)), itemKey)) return { kind: 'idempotency record of another account', key, id };
  const item = await records.get(itemKey);
  return item === undefined ? { kind: 'idempotency record without item', key, id } : undefined;
}
