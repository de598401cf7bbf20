import type { StoredRecord } from '../../../store/database/documentClient.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { Suspect } from '../suspect.ts';

/** Takes in all records of a table, in any order and not of one moment, and tells what does not fit together. */
export interface Check {
  /**
   * @param kind what its key says of the record, which may be unreadable or damaged otherwise
   * @param now milliseconds since 1970
   */
  add(kind: RecordKind, record: StoredRecord, now: number): void;
  /** What is left in doubt when all records are in. */
  suspects(): Iterable<Suspect>;
}

/** The value under a key, which is made when it is missing. */
export function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
