import { isDeepStrictEqual } from 'node:util';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { fieldNames, identifierNames } from '../../lib/item/fields.ts';
import type { Database } from '../../lib/store/database/database.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { problemOf, valueProblem } from '../table/recordProblem.ts';
import { unusedNumber } from '../table/unusedNumber.ts';
import { highestCount } from '../verification/check.ts';
import type { ItemResult } from './copyOutcome.ts';

/** An item of the restored table, and its record in both tables. */
export interface ItemPair {
  readonly id: number;
  readonly copy: StoredRecord;
  /** The record in the table in use; undefined if it is missing. */
  readonly seen: StoredRecord | undefined;
  /**
   * Whether an item with other values gets the older ones back, as a new revision: never, or only if it still has the
   * revision with which a dry run listed it. A dry run without a revision lists it.
   */
  readonly overwrites: false | { readonly revision: number | undefined };
  /** The write id, if it is not a random one. */
  readonly writeId?: string;
}

/** The same, but without its identifiers for now, so that others can have those that it has. */
export function withoutIdentifiers(pair: ItemPair): ItemPair {
  const copy = { ...pair.copy };
  for (const name of identifierNames) delete copy[name];
  return { ...pair, copy, writeId: givenUp(pair.overwrites) };
}

/**
 * The write id of an item {@link withoutIdentifiers}. As long as the item has it, nobody else has written that since, and
 * a run with the same list may give it its identifiers.
 */
const givenUp = (overwrites: ItemPair['overwrites']): string =>
  `without identifiers, over ${overwrites === false ? 'damage' : `revision ${overwrites.revision}`}`;

export interface RestoreOptions {
  readonly restored: Database;
  /** The table in use. */
  readonly live: Database;
  /** The restored table's time. */
  readonly to: EpochMs;
  /** If true, nothing is written, and the results say what would be. */
  readonly isDryRun: boolean;
}

/**
 * Compares an item with its copy, by the rules of `restoreItems`.
 * @returns the result; if the item is to be put back, `next` is its new revision
 */
export function compareItem({ to, isDryRun }: RestoreOptions, { copy, seen, overwrites }: ItemPair, now: number) {
  const decision = (result: ItemResult, next = 0) => ({ result, next: countable(next, now) });
  const problem = problemOf(copy) ?? valueProblem(copy);
  if (problem !== undefined) return decision({ result: 'copy damaged', problem });
  const { item } = readItem(copy);
  const beyond = unusedNumber(item.revision, now - to);
  if (seen === undefined) return decision({ result: 'put back', loss: 'missing' }, beyond);
  const createdAt = seen['created_at'];
  if (Number.isSafeInteger(createdAt) && createdAt !== item.createdAt) return decision({ result: 'id taken' });
  if ((problemOf(seen) ?? valueProblem(seen)) !== undefined)
    return decision({ result: 'put back', loss: 'damaged' }, Math.max(beyond, revisionAfter(seen)));
  const live = readItem(seen);
  const { revision } = live.item;
  const changed = fieldNames.filter((name) => !isDeepStrictEqual(item[name], live.item[name]));
  if (changed.length === 0) return decision({ result: 'whole' });
  const fields = Object.fromEntries(changed.map((name) => [name, { now: live.item[name], before: item[name] }]));
  const change = { fields, revision, writtenBy: String(seen['written_by']), writtenAt: live.writtenAt };
  if (seen['written_stamp'] !== givenUp(overwrites)) {
    if (overwrites === false) return decision({ result: 'newer', ...change });
    if (overwrites.revision !== revision && !(isDryRun && overwrites.revision === undefined))
      return decision({ result: 'not listed', ...change });
  }
  // Somebody has written a lower revision past the service. Clients may have seen those above it.
  const next = revision < item.revision ? beyond : revisionAfter(seen);
  return decision({ result: 'put back', loss: 'changed', ...change }, next);
}

/** The next revision of an item that may be damaged. */
function revisionAfter({ revision }: StoredRecord): number {
  return Number.isSafeInteger(revision) ? Number(revision) + 1 : 1;
}

/** The same revision, unless updates could not count on from it. Then one that they cannot have reached either. */
const countable = (revision: number, now: number): number =>
  revision > highestCount ? unusedNumber(0, now) : revision;
