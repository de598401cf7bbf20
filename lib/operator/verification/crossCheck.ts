import type { StoredRecord } from '../../store/database/documentClient.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { CategoryIdCheck } from './checks/categoryIds.ts';
import type { Check } from './checks/check.ts';
import { ExpiryCheck } from './checks/expiry.ts';
import { IdempotencyCheck } from './checks/idempotencyRecords.ts';
import { IdentifierCheck } from './checks/identifiers.ts';
import { ItemIdCheck } from './checks/itemIds.ts';
import { ListPositionCheck } from './checks/listPositions.ts';
import { RecordCheck } from './checks/records.ts';
import { ReferenceCheck } from './checks/references.ts';
import { TokenCheck } from './checks/tokens.ts';
import type { Suspect } from './suspect.ts';

/**
 * Collects all records of a table, in any order and read at different times, and reports what may be wrong. Records are
 * not kept; each check documents what it remembers of them.
 */
export class CrossCheck {
  readonly #records = new RecordCheck();
  /** These checks also take unreadable records, which still have an id and identifiers. */
  readonly #others: readonly Check[] = [
    new ExpiryCheck(),
    new ItemIdCheck(),
    new IdentifierCheck(),
    new IdempotencyCheck(),
    new ReferenceCheck(),
    new CategoryIdCheck(),
    new TokenCheck(),
    new ListPositionCheck(),
  ];

  /** @param now milliseconds since 1970 */
  add(record: StoredRecord, now: number): void {
    this.#records.add(record);
    const kind = parseKey(keyIn(record));
    if (kind === undefined) return;
    for (const check of this.#others) check.add(kind, record, now);
  }

  /** What may be wrong, once all records have been added. */
  *suspects(): Generator<Suspect> {
    yield* this.#records.suspects();
    for (const check of this.#others) yield* check.suspects();
  }
}
