import type { EpochMs } from '../../lib/item/epoch.ts';
import type { TimedSession } from '../../lib/store/database/database.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { type RecordUpdate, updateRecord } from '../../lib/store/database/writes.ts';
import type { RecordKind } from '../../lib/store/records/keys.ts';

/**
 * One invariant of a table. A suspect, which the scan has found, has the members of a finding that a recheck needs. So a
 * finding can be rechecked too, after a repair.
 */
export interface Check<Finding extends { readonly kind: string }, Suspect = Finding> {
  collect(): Collector<Suspect>;
  /**
   * Reads a suspect again, on its own. Every finding was true at one moment, even with concurrent writes.
   * @returns undefined if nothing is wrong, or it is written too often to be sure
   */
  recheck(records: Records, suspect: Suspect, now: EpochMs): Promise<Finding | undefined>;
  readonly kinds: { readonly [Kind in Finding['kind']]: FindingKind<Finding & { readonly kind: Kind }> };
}

/** Is given all records of a table, in any order and read at different times. Remembers as little as it can. */
export interface Collector<Suspect> {
  /** @param key the record's parsed key, if it can be parsed; the record itself may be unreadable or damaged */
  add(record: StoredRecord, key: RecordKind | undefined, now: EpochMs): void;
  suspects(): readonly Suspect[];
}

/** Strongly consistent reads of a table's records. */
export interface Records {
  get(key: Key): Promise<StoredRecord | undefined>;
  query(partition: string): Promise<readonly StoredRecord[]>;
}

export interface FindingKind<Finding> {
  /** The problem, in words that continue "Account …:" or "The record …". */
  text(finding: Finding): string;
  /** Missing if a person must decide. */
  readonly repair?: FindingRepair<Finding>;
  /** What a person should do if it is not repaired, in words that continue "Left to you:". */
  readonly advice: string;
}

export interface FindingRepair<Finding> {
  /** What was done, in words that continue "Repaired:". */
  readonly text: string;
  /** If not, a person must decide. */
  isPossible(finding: Finding): boolean;
  /**
   * One write, conditional on what was found, so that concurrent requests lose nothing.
   * @throws ConditionFailed if something has changed since
   */
  write(session: TimedSession, finding: Finding): Promise<unknown>;
}

/** A repair that is one update of a record. The update may be sent twice. */
export const updating = <Finding>(
  text: string,
  updateOf: (finding: Finding, now: EpochMs) => RecordUpdate,
  isPossible: (finding: Finding) => boolean = () => true,
): FindingRepair<Finding> => ({
  text,
  isPossible,
  write: (session, finding) => updateRecord(session, updateOf(finding, session.clock.now()), { idempotent: true }),
});

/** Collects suspects, each found in a single record. */
export const fromSingleRecords =
  <Suspect>(suspectOf: (...scanned: Parameters<Collector<Suspect>['add']>) => Suspect | undefined) =>
  (): Collector<Suspect> => {
    const suspects: Suspect[] = [];
    return {
      add(...scanned) {
        const suspect = suspectOf(...scanned);
        if (suspect !== undefined) suspects.push(suspect);
      },
      suspects: () => suspects,
    };
  };

/** Half of all safe integers, which no counter and no revision reaches by counting. As many are left above. */
export const highestCount = Number.MAX_SAFE_INTEGER / 2;

/** Texts from the table are quoted as JSON, so that none can pose as another line of output. */
export const quoted = (stored: string): string => JSON.stringify(stored);
