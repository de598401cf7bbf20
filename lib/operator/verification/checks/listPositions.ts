import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { readItem } from '../../../store/records/itemRecord.ts';
import { keys } from '../../../store/records/keys.ts';
import { isListedUnder } from '../../../store/records/listEntry.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { ListFinding, Records } from '../finding.ts';
import type { ListSuspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { problemOf } from './recordProblem.ts';

/** Checks that every item is in its account's list under its name. Items written before the list existed are not. */
export class ListPositionCheck implements Check {
  readonly #suspects: ListSuspect[] = [];

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind !== 'item') return;
    const { account, id } = kind;
    const name = record['name'];
    // An item without a name is unreadable, which is a separate finding.
    if (typeof name !== 'string' || isListedUnder(record, account, { id, name })) return;
    this.#suspects.push({ of: 'list position', account, id });
  }

  suspects(): Iterable<ListSuspect> {
    return this.#suspects;
  }
}

export async function recheckListPosition(
  records: Records,
  { account, id }: ListSuspect,
): Promise<ListFinding | undefined> {
  const record = await records.get(keys.item(account, id));
  if (record === undefined || problemOf(record) !== undefined) return undefined;
  const { name, revision } = readItem(record).item;
  return isListedUnder(record, account, { id, name })
    ? undefined
    : { kind: 'item not listed', account, id, name, revision };
}
