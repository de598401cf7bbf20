import type { StoredRecord } from '../../../store/database/documentClient.ts';
import type { Key } from '../../../store/records/keys.ts';
import { keyIn } from '../../../store/records/parseKey.ts';
import type { RecordFinding, Records } from '../finding.ts';
import type { Suspect } from '../suspect.ts';
import { problemOf } from './recordProblem.ts';
import { valueProblem } from './valueProblem.ts';

/** Checks that each record can be read, and has only values that a request could have written. */
export class RecordCheck {
  readonly #keys: Key[] = [];

  add(record: StoredRecord): void {
    if (findingOf(record) !== undefined) this.#keys.push(keyIn(record));
  }

  *suspects(): Generator<Suspect> {
    for (const key of this.#keys) yield { of: 'record', key };
  }
}

export async function recheckRecord(records: Records, key: Key): Promise<RecordFinding | undefined> {
  const record = await records.get(key);
  return record && findingOf(record);
}

function findingOf(record: StoredRecord): RecordFinding | undefined {
  const key = keyIn(record);
  const unreadable = problemOf(record);
  if (unreadable !== undefined) return { kind: 'unreadable record', key, problem: unreadable };
  const invalid = valueProblem(record);
  return invalid === undefined ? undefined : { kind: 'invalid values', key, problem: invalid };
}
