import { isDeepStrictEqual } from 'node:util';
import { awaitAll } from '../../../lib/catalog/awaitAll.ts';
import type { Identifier } from '../../../lib/catalog/catalogStore.ts';
import { type IdentifierName, identifierNames } from '../../../lib/item/fields.ts';
import { equals, expressions, isAbsent } from '../../../lib/store/database/expressions.ts';
import type { StoredRecord } from '../../../lib/store/database/record.ts';
import { type TransactItem, type TransactionParts, transact } from '../../../lib/store/database/writes.ts';
import { deleteGuard, ownerIn, putGuard } from '../../../lib/store/records/guardRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { problemOf } from '../../table/recordProblem.ts';
import { type Check, type FindingKind, quoted, type Records } from '../check.ts';

/** An item as it was when its identifier was checked. */
interface ItemSnapshot {
  readonly id: number;
  readonly state: 'readable' | 'unreadable' | 'absent';
  readonly revision: number;
  readonly hasIdentifier: boolean;
}

interface IdentifierSuspect extends Identifier {
  readonly account: string;
  /** The items that may have the identifier or own its guard. */
  readonly items: readonly { readonly id: number }[];
}

interface IdentifierFinding extends IdentifierSuspect {
  readonly kind: 'guard missing' | 'guard orphaned' | 'guard mismatched' | 'duplicate identifier';
  /** The item that the guard names; null if there is no readable guard. */
  readonly owner: number | null;
  /** The items that were checked, sorted by id, including the holders and the owner. */
  readonly items: readonly ItemSnapshot[];
}

/** How often an identifier is read whose items are being written. An owner that the scan has not seen takes one of them. */
const maxReads = 3;

interface Unpaired extends Pick<IdentifierSuspect, 'account' | 'name'> {
  /** By the identifier: the item that has it, the item that its guard names, and other items that have it. */
  readonly holders: Map<string, number>;
  readonly owners: Map<string, number>;
  readonly rivals: Map<string, number[]>;
}

/** Copies a text that is a part of another one, or of several, which it would keep in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/**
 * Checks that identifiers and guards match. Keeps each identifier until both its item and its guard have been read, in
 * about 80 bytes if it has 20 characters.
 */
export const identifiers: Check<IdentifierFinding, IdentifierSuspect> = {
  collect() {
    /** By account and name, which would take more memory than the identifiers. */
    const all = new Map<string, Unpaired>();
    const unpairedOf = (account: string, name: IdentifierName): Unpaired => {
      const place = `${account}#${name}`;
      const found = all.get(place) ?? { account, name, holders: new Map(), owners: new Map(), rivals: new Map() };
      all.set(place, found);
      return found;
    };
    const addHolder = ({ holders, owners, rivals }: Unpaired, text: string, id: number) => {
      if (owners.get(text) === id) owners.delete(text);
      else if (!holders.has(text)) holders.set(copyOf(text), id);
      else if (rivals.get(text)?.push(id) === undefined) rivals.set(copyOf(text), [id]);
    };
    const addGuard = ({ holders, owners, rivals }: Unpaired, text: string, owner: number | undefined) => {
      if (owner === undefined) return;
      if (holders.get(text) === owner && !rivals.has(text)) holders.delete(text);
      else owners.set(copyOf(text), owner);
    };
    const suspectsIn = ({ account, name, holders, owners, rivals }: Unpaired): IdentifierSuspect[] =>
      [...new Set([...holders.keys(), ...owners.keys()])].map((text) => {
        const ids = new Set([holders.get(text), ...(rivals.get(text) ?? []), owners.get(text)]);
        const items = [...ids].flatMap((id) => (id === undefined ? [] : [{ id }]));
        return { account, name, text, items };
      });
    return {
      add(record, key) {
        if (key?.kind === 'guard') addGuard(unpairedOf(key.account, key.name), key.text, ownerIn(record));
        if (key?.kind !== 'item') return;
        for (const name of identifierNames) {
          const text = record[name];
          if (typeof text === 'string') addHolder(unpairedOf(key.account, name), text, key.id);
        }
      },
      suspects: () => [...all.values()].flatMap(suspectsIn),
    };
  },

  async recheck(records, suspect) {
    const { account, name, text } = suspect;
    const ids = new Set(suspect.items.map(({ id }) => id));
    const readItems = () => awaitAll([...ids].map((id) => readItemSnapshot(records, suspect, id)));
    for (let left = maxReads; left > 0; left -= 1) {
      const before = await readItems();
      const guard = await records.get(keys.guard(account, name, text));
      const owner = guard && ownerIn(guard);
      if (owner !== undefined && !ids.has(owner)) {
        ids.add(owner);
        continue;
      }
      const kind = kindOf(before, guard, owner);
      if (kind === undefined) return undefined;
      const items = await readItems();
      if (isDeepStrictEqual(items, before))
        return { account, name, text, kind, owner: owner ?? null, items: items.toSorted((a, b) => a.id - b.id) };
    }
    // Possibly writes in flight: left to the next verification.
    return undefined;
  },

  kinds: {
    'guard missing': {
      text: (finding) => `${holderText(finding)} without a guard`,
      ...repairedBy('the guard was created'),
    },
    'guard orphaned': {
      text: (finding) => `the guard of the ${identifierText(finding)} names ${ownerText(finding)}`,
      ...repairedBy('the guard was deleted'),
    },
    'guard mismatched': {
      text: (finding) => `${holderText(finding)}, but its guard names ${ownerText(finding)}`,
      ...repairedBy('the guard now names the item that has it'),
    },
    'duplicate identifier': {
      text: (finding) =>
        `the items ${holdersIn(finding).join(' and ')} have the same ${identifierText(finding)}, and ` +
        (finding.owner === null ? 'no guard names either of them' : `its guard names item ${finding.owner}`),
      advice: 'decide which item keeps it, and update the others',
    },
  },
};

function kindOf(items: readonly ItemSnapshot[], guard: StoredRecord | undefined, owner: number | undefined) {
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier);
  if (holders.length > 1) return 'duplicate identifier';
  const [holder] = holders;
  if (guard === undefined) return holder && 'guard missing';
  // An unreadable guard is a separate finding.
  if (owner === undefined || owner === holder?.id) return undefined;
  return holder === undefined ? 'guard orphaned' : 'guard mismatched';
}

function repairedBy(text: string): Omit<FindingKind<IdentifierFinding>, 'text'> {
  return {
    repair: {
      text,
      isPossible: ({ items }) => items.every(({ state }) => state !== 'unreadable'),
      write: (session, finding) => transact(session, guardWrites(finding)),
    },
    advice: 'correct the unreadable item first',
  };
}

/**
 * The transaction that puts the guard for the item that has the identifier, or deletes it if no item has it. It succeeds
 * only if the items and the guard are unchanged since they were checked.
 */
function guardWrites(finding: IdentifierFinding): TransactionParts {
  const { account, owner, items } = finding;
  const concerned = items.filter(({ id, hasIdentifier }) => hasIdentifier || id === owner);
  const [holder] = holdersIn(finding);
  return {
    ...Object.fromEntries(concerned.map((item) => [`item ${item.id}`, requireUnchanged(account, item)])),
    guard:
      holder === undefined
        ? deleteGuard(finding, owner ?? 0, finding)
        : putGuard(finding, holder, finding, owner ?? holder),
  };
}

const identifierText = ({ name, text }: IdentifierFinding): string => `${name} ${quoted(text)}`;

const holdersIn = ({ items }: IdentifierFinding): number[] =>
  items.filter(({ hasIdentifier }) => hasIdentifier).map(({ id }) => id);

const holderText = (finding: IdentifierFinding): string =>
  `item ${holdersIn(finding)} has the ${identifierText(finding)}`;

function ownerText({ items, owner }: IdentifierFinding): string {
  const exists = items.some(({ id, state }) => id === owner && state !== 'absent');
  return `item ${owner}, which ${exists ? 'does not have it' : 'does not exist'}`;
}

async function readItemSnapshot(
  records: Records,
  { account, name, text }: Identifier & { readonly account: string },
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

/** Requires in a transaction that an item is still as it was. */
const requireUnchanged = (account: string, { id, state, revision }: ItemSnapshot): TransactItem => ({
  ConditionCheck: {
    Key: keys.item(account, id),
    ...expressions((use) => ({
      ConditionExpression: state === 'absent' ? isAbsent(use) : equals(use, 'revision', revision),
    })),
  },
});
