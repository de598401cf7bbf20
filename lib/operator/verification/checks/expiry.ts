import { timeouts } from '../../../catalog/timeouts.ts';
import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { idempotencyLifetime } from '../../../store/records/idempotencyRecord.ts';
import type { Key } from '../../../store/records/keys.ts';
import { keyAttributes } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { keyIn, parseKey } from '../../../store/records/parseKey.ts';
import type { ExpiryFinding, Records } from '../finding.ts';
import type { Suspect } from '../suspect.ts';
import type { Check } from './check.ts';

/**
 * Checks that idempotency records expire in time, and that records that must stay do not expire. Tokens may have any
 * expiry.
 */
export class ExpiryCheck implements Check {
  readonly #keys: Key[] = [];

  add(kind: RecordKind, record: StoredRecord, now: number): void {
    if (expiryProblem(kind, record, now) !== undefined) this.#keys.push(keyIn(record));
  }

  *suspects(): Generator<Suspect> {
    for (const key of this.#keys) yield { of: 'expiry', key };
  }
}

export async function recheckExpiry(records: Records, key: Key, now: number): Promise<ExpiryFinding | undefined> {
  const record = await records.get(key);
  const parsed = parseKey(key);
  const kind = record && parsed && expiryProblem(parsed, record, now);
  return kind && { kind, key };
}

/** The latest valid expiry of an idempotency record that is written at this time, in seconds since 1970. */
export const latestExpiry = (now: number): number =>
  Math.ceil((now + timeouts.clockSkew) / 1_000) + idempotencyLifetime;

function expiryProblem({ kind }: RecordKind, record: StoredRecord, now: number): ExpiryFinding['kind'] | undefined {
  const end = record[keyAttributes.expiry];
  if (kind === 'token' || kind === 'token entry') return undefined;
  if (kind !== 'idempotency') return end === undefined ? undefined : 'expiring record';
  return Number.isInteger(end) && Number(end) <= latestExpiry(now) ? undefined : 'idempotency record expiry';
}
