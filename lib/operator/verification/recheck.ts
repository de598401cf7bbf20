import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { IdentifierName, Key } from '../../store/records/keys.ts';
import { keyAttributes, keys, tokenListPartition } from '../../store/records/keys.ts';
import type { Suspect } from './crossCheck.ts';
import { lastIn, ownerIn } from './crossCheck.ts';
import { problemOf } from './recordProblem.ts';

/** An item as it was when a code of it was judged. */
export interface SeenItem {
  readonly id: number;
  readonly state: 'readable' | 'unreadable' | 'absent';
  readonly revision: number;
  readonly hasIdentifier: boolean;
}

/**
 * What is wrong with a code: an item has it without guard; a guard keeps it that no item has; the guard names an item
 * without it, though another has it; two items have it; or it was written too often to be judged.
 */
export interface IdentifierFinding {
  readonly kind:
    | 'guard missing'
    | 'guard orphaned'
    | 'guard mismatched'
    | 'duplicate identifier'
    | 'identifier unsettled';
  readonly account: string;
  readonly name: IdentifierName;
  readonly text: string;
  /** The item that the guard names; null when there is no guard that can be read. */
  readonly owner: number | null;
  /** The items that were looked at, the holders and the owner among them, by their ids. */
  readonly items: readonly SeenItem[];
}

/** An invariant that does not hold. */
export type Finding =
  | IdentifierFinding
  /** The counter will give out ids that items have; `last` is null when there is no counter. */
  | {
      readonly kind: 'id above counter';
      readonly account: string;
      readonly highest: number;
      readonly last: number | null;
    }
  /** `problem` goes on from "The record …". */
  | { readonly kind: 'unreadable record'; readonly key: Key; readonly problem: string }
  /** A token that its account's list leaves out, and one in the list that is not there. */
  | {
      readonly kind: 'token without entry' | 'entry without token';
      readonly account: string;
      readonly sha256: string;
    };

/** The records of a table as they are now: strongly consistent. */
export interface Records {
  get(key: Key): Promise<StoredRecord | undefined>;
  query(partition: string): Promise<readonly StoredRecord[]>;
}

/**
 * Judges what a scan has left in doubt. A finding has been true at one moment, whatever is written meanwhile.
 * @param now milliseconds since 1970
 * @returns undefined when nothing is wrong
 */
export function recheck(records: Records, suspect: Suspect, now: number): Promise<Finding | undefined> {
  switch (suspect.of) {
    case 'identifier':
      return recheckIdentifier(records, suspect);
    case 'counter':
      return recheckCounter(records, suspect);
    case 'token':
      return recheckToken(records, suspect, now);
    case 'record':
      return recheckRecord(records, suspect.key);
  }
}

/** How often a code is looked at that is written each time. */
const looks = 20;

type IdentifierSuspect = Extract<Suspect, { of: 'identifier' }>;

async function recheckIdentifier(records: Records, suspect: IdentifierSuspect): Promise<IdentifierFinding | undefined> {
  const { account, name, text } = suspect;
  const ids = new Set(suspect.items);
  const look = () => Promise.all([...ids].map((id) => seeItem(records, suspect, id)));
  const finding = { account, name, text };
  for (let left = looks; left > 0; left -= 1) {
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
    if (items.every((item, index) => isSteady(before[index], item)))
      return { ...finding, kind, owner: owner ?? null, items: items.toSorted((a, b) => a.id - b.id) };
  }
  return { ...finding, kind: 'identifier unsettled', owner: null, items: [] };
}

async function seeItem(records: Records, { account, name, text }: IdentifierSuspect, id: number): Promise<SeenItem> {
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
 * Whether an item has had the code, or has not, all the time between two looks, and so when the guard was read too: one
 * write cannot take a code and free it again.
 */
const isSteady = (before: SeenItem | undefined, after: SeenItem): boolean =>
  before?.state === after.state &&
  before.hasIdentifier === after.hasIdentifier &&
  !(after.revision > before.revision + 1);

function identifierProblem(items: readonly SeenItem[], guard: StoredRecord | undefined, owner: number | undefined) {
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier);
  if (holders.length > 1) return 'duplicate identifier';
  const [holder] = holders;
  if (guard === undefined) return holder && 'guard missing';
  // An unreadable guard is a finding of its own.
  if (owner === undefined || owner === holder?.id) return undefined;
  return holder === undefined ? 'guard orphaned' : 'guard mismatched';
}

/** Ids are leased before they are used, and never given back: what is above the counter now was so before. */
async function recheckCounter(
  records: Records,
  { account, highest }: Extract<Suspect, { of: 'counter' }>,
): Promise<Finding | undefined> {
  const counter = await records.get(keys.counter(account));
  const last = lastIn(counter);
  // An unreadable counter is a finding of its own.
  const isBehind = counter === undefined || (last !== undefined && last < highest);
  return isBehind ? { kind: 'id above counter', account, highest, last: last ?? null } : undefined;
}

/**
 * A token and its entry are written at once, deleted at once, and never come back. So what is looked for first and not
 * there, while the other is there later, is missing. What has ended, DynamoDB deletes in any order.
 */
async function recheckToken(
  records: Records,
  { account, sha256 }: Extract<Suspect, { of: 'token' }>,
  now: number,
): Promise<Finding | undefined> {
  const read = async () => {
    const token = await records.get(keys.token(sha256));
    return token?.['account'] === account ? token : undefined;
  };
  const before = await read();
  const entry = (await records.query(tokenListPartition(account))).find((record) => record['hash'] === sha256);
  const after = await read();
  const hasEnded = Number((after ?? entry)?.[keyAttributes.expiry]) * 1_000 <= now;
  if (hasEnded) return undefined;
  if (after !== undefined && entry === undefined) return { kind: 'token without entry', account, sha256 };
  if (before === undefined && entry !== undefined) return { kind: 'entry without token', account, sha256 };
  return undefined;
}

async function recheckRecord(records: Records, key: Key): Promise<Finding | undefined> {
  const record = await records.get(key);
  const problem = record && problemOf(record);
  return problem === undefined ? undefined : { kind: 'unreadable record', key, problem };
}
