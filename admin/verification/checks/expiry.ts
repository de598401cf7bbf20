import { type Key, keyAttributes, type StoredRecord } from '../../../lib/store/database/record.ts';
import { removeExpiry } from '../../../lib/store/records/expiry.ts';
import { endIdempotencyRecord, latestExpiry } from '../../../lib/store/records/idempotencyRecord.ts';
import { keyIn, parseKey, type RecordKind } from '../../../lib/store/records/parseKey.ts';
import { type Check, singly, updating } from '../check.ts';

interface ExpiryFinding {
  readonly kind: 'expiring record' | 'idempotency record expiry';
  readonly key: Key;
}

/** Checks that DynamoDB deletes idempotency records in time, and no record that must stay. Tokens may expire any time. */
export const expiry: Check<ExpiryFinding, Pick<ExpiryFinding, 'key'>> = {
  collect: singly((record, key, now) => kindOf(record, key, now) && { key: keyIn(record) }),

  async recheck(records, { key }, now) {
    const record = await records.get(key);
    const kind = record && kindOf(record, parseKey(key), now);
    return kind && { kind, key };
  },

  kinds: {
    'expiring record': {
      text: () => 'has an expires_at, so DynamoDB would delete it',
      repair: updating('its expires_at was removed', ({ key }) => removeExpiry(key)),
      advice: 'remove its expires_at manually',
    },
    'idempotency record expiry': {
      text: () => 'never expires, or expires in more than 24 hours, and its key stays taken until then',
      repair: updating('it now expires in 24 hours', ({ key }, now) => endIdempotencyRecord(key, now)),
      advice: 'delete it manually',
    },
  },
};

function kindOf(record: StoredRecord, key: RecordKind | undefined, now: number): ExpiryFinding['kind'] | undefined {
  const end = record[keyAttributes.expiry];
  if (key === undefined || key.kind === 'token' || key.kind === 'token entry') return undefined;
  if (key.kind !== 'idempotency') return end === undefined ? undefined : 'expiring record';
  return Number.isInteger(end) && Number(end) <= latestExpiry(now) ? undefined : 'idempotency record expiry';
}
