import { type Key, keyAttributes, type StoredRecord } from '../../../lib/store/database/record.ts';
import { hasExpired } from '../../../lib/store/records/expiry.ts';
import { readIdempotencyRecord } from '../../../lib/store/records/idempotencyRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isSameKey, keyIn, parseKey } from '../../../lib/store/records/parseKey.ts';
import { problemOf } from '../../table/recordProblem.ts';
import type { Check } from '../check.ts';
import { IdSet } from '../idSet.ts';

interface IdempotencyFinding {
  readonly kind: 'idempotency record without item' | 'idempotency record of another account';
  readonly key: Key;
  readonly id: number;
}

/**
 * Checks that the items in idempotency records exist and belong to the same account. Keeps one bit per item, and about
 * 200 bytes per idempotency record whose item has not been read yet.
 */
export const idempotencyRecords: Check<IdempotencyFinding, Pick<IdempotencyFinding, 'key'>> = {
  collect() {
    const items = new Map<string, IdSet>();
    const hasItem = (account: string, id: number) => items.get(account)?.has(id) === true;
    /** Ids of items not read yet, by the partition key of their record. Null marks a record that is suspect anyway. */
    const waiting = new Map<string, number | null>();
    return {
      add(record, key, now) {
        if (key?.kind === 'item') {
          const ids = items.get(key.account) ?? new IdSet();
          items.set(key.account, ids);
          ids.add(key.id);
        }
        if (key?.kind !== 'idempotency' || hasExpired(record, now)) return;
        const copy = copyIn(record);
        const id = Number(copy['id']);
        const isOwn = isSameKey(keyIn(copy), keys.item(key.account, id));
        if (!isOwn || !hasItem(key.account, id)) waiting.set(keyIn(record).pk, isOwn ? id : null);
      },
      suspects: () =>
        [...waiting].flatMap(([pk, id]) => {
          const key = { pk, sk: requestSort };
          const parsed = parseKey(key);
          const isThere = id !== null && parsed?.kind === 'idempotency' && hasItem(parsed.account, id);
          return isThere ? [] : [{ key }];
        }),
    };
  },

  /** A record and its item are written and deleted together: if the record is still there, a missing item was lost. */
  async recheck(records, { key }, now) {
    const record = await records.get(key);
    const parsed = parseKey(key);
    if (record === undefined || parsed?.kind !== 'idempotency') return undefined;
    // An unreadable record is a separate finding.
    if (hasExpired(record, now) || problemOf(record) !== undefined) return undefined;
    const { id } = readIdempotencyRecord({ ...record, [keyAttributes.expiry]: 0 }).item;
    const itemKey = keys.item(parsed.account, id);
    if (!isSameKey(keyIn(copyIn(record)), itemKey)) return { kind: 'idempotency record of another account', key, id };
    const isThere = (await records.get(itemKey)) !== undefined || (await records.get(key)) === undefined;
    return !isThere ? { kind: 'idempotency record without item', key, id } : undefined;
  },

  kinds: {
    'idempotency record without item': {
      text: ({ id }) => `makes a retried create return item ${id}, which does not exist`,
      advice: 'restore the item manually from its copy in the record, or delete the record',
    },
    'idempotency record of another account': {
      text: ({ id }) => `makes a retried create return an item ${id} of another account`,
      advice: 'delete it manually, and find out who wrote it',
    },
  },
};

const { sk: requestSort } = keys.idempotency('', '');

const copyIn = (record: StoredRecord): StoredRecord => (record['item'] ?? {}) as StoredRecord;
