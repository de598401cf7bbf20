import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { CounterFinding, Records } from '../finding.ts';
import type { HighestSuspect } from '../suspect.ts';
import type { Check } from './check.ts';

/**
 * Half of all safe integers, which no counter reaches through leases. A counter beyond this would soon lease ids that
 * are not safe integers, so raising a counter this far would end the account's creates.
 */
export const highestCounter = Number.MAX_SAFE_INTEGER / 2;

/** The last id that a counter leased; undefined if there is no counter or it is unreadable. */
export function lastIn(counter: StoredRecord | undefined): number | undefined {
  const last = counter?.['last'];
  return Number.isSafeInteger(last) ? Number(last) : undefined;
}

/** Checks that no item id is above its account's counter, and that no counter is near its end. */
export class ItemIdCheck implements Check {
  readonly #highest = new Map<string, number>();
  readonly #last = new Map<string, number>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'item') this.#highest.set(kind.account, Math.max(kind.id, this.#highest.get(kind.account) ?? 0));
    if (kind.kind === 'counter') this.#last.set(kind.account, lastIn(record) ?? Number.POSITIVE_INFINITY);
  }

  *suspects(): Generator<HighestSuspect<'counter'>> {
    for (const account of new Set([...this.#highest.keys(), ...this.#last.keys()])) {
      const [highest, last] = [this.#highest.get(account) ?? 0, this.#last.get(account) ?? 0];
      if (highest > last || last > highestCounter) yield { of: 'counter', account, highest };
    }
  }
}

/**
 * Ids are leased before they are used, and never returned. So an id that is above the counter now was also above it
 * before.
 */
export async function recheckCounter(
  records: Records,
  { account, highest }: HighestSuspect<'counter'>,
): Promise<CounterFinding | undefined> {
  const counter = await records.get(keys.counter(account));
  const last = lastIn(counter);
  // An unreadable counter is a separate finding.
  const isBehind = counter === undefined ? highest > 0 : last !== undefined && last < highest;
  if (isBehind) return { kind: 'id above counter', account, highest, last: last ?? null };
  return last !== undefined && last > highestCounter
    ? { kind: 'counter near its end', account, highest, last }
    : undefined;
}
