import type { StoredRecord } from '../../../store/database/documentClient.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { Suspect } from '../suspect.ts';

/** Collects all records of a table, in any order and read at different times, and reports which do not fit together. */
export interface Check {
  /**
   * @param kind the record's kind, according to its key; the record itself may be unreadable or damaged
   * @param now milliseconds since 1970
   */
  add(kind: RecordKind, record: StoredRecord, now: number): void;
  /** What may be wrong, once all records have been added. */
  suspects(): Iterable<Suspect>;
}

/** Returns the value for a key, creating it if it is missing. */
export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
