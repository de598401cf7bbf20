import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { identifierNames, keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import { keyIn, parseKey } from '../../../store/records/parseKey.ts';
import type { IdentifierFinding, ItemSnapshot, Records } from '../finding.ts';
import type { IdentifierSuspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { problemOf } from './recordProblem.ts';

/** The owner in a guard; undefined if the guard is unreadable. */
export function ownerIn(guard: StoredRecord): number | undefined {
  const owner = guard['item_id'];
  return Number.isSafeInteger(owner) ? Number(owner) : undefined;
}

/**
 * Checks that identifiers and guards match. Each identifier is kept until both its item and its guard have been read,
 * as the guard's key and an id. That takes about 300 bytes for an identifier of 20 characters: at most 600 for an item
 * with both identifiers, and nothing for an item without.
 */
export class IdentifierCheck implements Check {
  /** Keyed by the guard's partition key: the item that has the identifier, and the item that the guard names. */
  readonly #holders = new Map<string, number>();
  readonly #owners = new Map<string, number>();
  /** Additional items that have the same identifier. */
  readonly #rivals = new Map<string, number[]>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'item') this.#addItem(kind, record);
    if (kind.kind === 'guard') this.#addGuard(keyIn(record).pk, ownerIn(record));
  }

  #addItem({ account, id }: { account: string; id: number }, record: StoredRecord): void {
    for (const name of identifierNames) {
      const text = record[name];
      if (typeof text !== 'string') continue;
      const { pk } = keys.guard(account, name, text);
      if (this.#owners.get(pk) === id) this.#owners.delete(pk);
      else if (this.#holders.has(pk)) this.#addRival(pk, id);
      else this.#holders.set(pk, id);
    }
  }

  #addRival(pk: string, id: number): void {
    const rivals = this.#rivals.get(pk);
    if (rivals === undefined) this.#rivals.set(pk, [id]);
    else rivals.push(id);
  }

  #addGuard(pk: string, owner: number | undefined): void {
    if (owner === undefined) return;
    if (this.#holders.get(pk) === owner && !this.#rivals.has(pk)) this.#holders.delete(pk);
    else this.#owners.set(pk, owner);
  }

  *suspects(): Generator<IdentifierSuspect> {
    for (const pk of this.#holders.keys()) yield this.#suspect(pk);
    for (const pk of this.#owners.keys()) if (!this.#holders.has(pk)) yield this.#suspect(pk);
  }

  #suspect(pk: string): IdentifierSuspect {
    const parsed = parseKey({ pk, sk: guardSort });
    if (parsed?.kind !== 'guard') throw new Error('An identifier was kept under a key that is not a guard key');
    const { account, name, text } = parsed;
    const ids = [this.#holders.get(pk), ...(this.#rivals.get(pk) ?? []), this.#owners.get(pk)];
    return { of: 'identifier', account, name, text, items: [...new Set(ids.filter((id) => id !== undefined))] };
  }
}

const { sk: guardSort } = keys.guard('', 'sku', '');

/** How often to look at an identifier that changes every time. */
const maxReads = 20;

export async function recheckIdentifier(
  records: Records,
  suspect: IdentifierSuspect,
): Promise<IdentifierFinding | undefined> {
  const { account, name, text } = suspect;
  const ids = new Set(suspect.items);
  const look = () => Promise.all([...ids].map((id) => readItemSnapshot(records, suspect, id)));
  const finding = { account, name, text };
  for (let left = maxReads; left > 0; left -= 1) {
    const before = await look();
    const guard = await records.get(keys.guard(account, name, text));
    const owner = guard && ownerIn(guard);
    if (owner !== undefined && !ids.has(owner)) {
      ids.add(owner);
      continue;
    }
    const kind = identifierProblem(before, guard, owner);
    if (kind === undefined) return undefined;
    const items = await look();
    if (items.every((item, index) => isUnchanged(before[index], item)))
      return { ...finding, kind, owner: owner ?? null, items: items.toSorted((a, b) => a.id - b.id) };
  }
  return { ...finding, kind: 'identifier unsettled', owner: null, items: [] };
}

async function readItemSnapshot(
  records: Records,
  { account, name, text }: IdentifierSuspect,
  id: number,
): Promise<ItemSnapshot> {
  const record = await records.get(keys.item(account, id));
  if (record === undefined) return { id, state: 'absent', revision: 0, hasIdentifier: false };
  return {
    id,
    state: problemOf(record) === undefined ? 'readable' : 'unreadable',
    revision: Number(record['revision']),
    hasIdentifier: record[name] === text,
  };
}

/**
 * Whether an item kept its state between two reads, and so also when the guard was read in between. At most one write
 * may have happened, because a single write cannot take an identifier and free it again.
 */
const isUnchanged = (before: ItemSnapshot | undefined, after: ItemSnapshot): boolean =>
  before?.state === after.state &&
  before.hasIdentifier === after.hasIdentifier &&
  !(after.revision > before.revision + 1);

function identifierProblem(items: readonly ItemSnapshot[], guard: StoredRecord | undefined, owner: number | undefined) {
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier);
  if (holders.length > 1) return 'duplicate identifier';
  const [holder] = holders;
  if (guard === undefined) return holder && 'guard missing';
  // An unreadable guard is a separate finding.
  if (owner === undefined || owner === holder?.id) return undefined;
  return holder === undefined ? 'guard orphaned' : 'guard mismatched';
}
