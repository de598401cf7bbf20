import { isDeepStrictEqual } from 'node:util';
import type { EpochMs } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import { byName, fieldNames, identifierNames } from '../../item/fields.ts';
import type { Database, Session } from '../../store/database/database.ts';
import { ConditionFailed, invalidContent } from '../../store/database/failures.ts';
import { getRecord } from '../../store/database/reads.ts';
import type { StoredRecord } from '../../store/database/record.ts';
import { transact } from '../../store/database/writes.ts';
import type { Identifier, Identifiers } from '../../store/records/guardRecord.ts';
import { guardPart, guardParts, identifiersNotIn, noIdentifiers, ownerIn } from '../../store/records/guardRecord.ts';
import { readItem } from '../../store/records/itemRecord.ts';
import { keys } from '../../store/records/keys.ts';
import { putItemBack } from '../../store/records/restoredItem.ts';
import { operatorSession } from '../operatorSession.ts';
import { problemOf, valueProblem } from '../recordProblem.ts';
import { unusedNumber } from '../unusedNumber.ts';
import { highestCount } from '../verification/check.ts';
import type { ItemResult } from './copyOutcome.ts';

/** An item of the restored table, and its record in both tables. */
export interface ItemPair {
  readonly account: string;
  readonly id: number;
  readonly copy: StoredRecord;
  /** The record in the table in use; undefined if it is missing. */
  readonly seen: StoredRecord | undefined;
  /**
   * Whether an item with other values gets the older ones back, as a new revision: never, or only if it still has the
   * revision with which a dry run listed it. A dry run without a revision lists it.
   */
  readonly overwrites: false | { readonly revision: number | undefined };
}

export interface RestoreOptions {
  readonly restored: Database;
  /** The table in use. */
  readonly live: Database;
  /** The restored table's time. */
  readonly to: EpochMs;
  /** If true, nothing is written, and the results say what would be. */
  readonly isDryRun: boolean;
}

/** The result of comparing an item. If it is to be put back, `next` is its new revision. */
interface Decision {
  readonly result: ItemResult;
  readonly next: number;
}

/** Maximum number of attempts if the item keeps changing. */
const maxRounds = 5;

/**
 * Puts a lost item back, with its guards, in one transaction. It succeeds only if the item has not changed since it was
 * read, and its identifiers are free or its own. Otherwise the item is read and compared again. So this can run during
 * live traffic, be killed at any point, and run again.
 *
 * - An item is lost if it is missing, cannot be read, or has impossible values.
 * - An item with other values was written since. It is put back only at the revision that `overwrites` names, so that
 *   no value is overwritten that the operator has not seen, however often and for how long the command runs.
 * - A guard of another item is never taken over.
 * @param isFreed for a dry run: whether the run frees the identifiers of another item
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function restoreItem(
  options: RestoreOptions,
  pair: ItemPair,
  isFreed = (_item: number): boolean => false,
): Promise<ItemResult> {
  const problem = problemOf(pair.copy) ?? valueProblem(pair.copy);
  if (problem !== undefined) return { result: 'copy damaged', problem };
  const session = operatorSession(options.live, pair.account);
  let current = pair;
  for (let round = 0; round < maxRounds; round += 1) {
    const { result, next } = decide(options, current, session.clock.now());
    if (result.result !== 'put back') return result;
    const obstacle = await (options.isDryRun
      ? foreignGuards(session, current, isFreed)
      : putBack(session, current, next)
    ).catch(rejectionOf);
    if (obstacle === 'none') return result;
    if (obstacle !== 'moved') return { ...result, ...obstacle };
    const seen = await getRecord(session, keys.item(pair.account, pair.id));
    // The transaction was done, but its response was lost.
    if (seen?.['written_stamp'] === session.context.writeId) return result;
    current = { ...pair, seen };
  }
  return { result: 'written meanwhile' };
}

/** Compares an item with its copy, which must be readable. */
export function decide({ to, isDryRun }: RestoreOptions, { copy, seen, overwrites }: ItemPair, now: number): Decision {
  const { item } = readItem(copy);
  const beyond = unusedNumber(item.revision, now - to);
  const decision = (result: ItemResult, next = 0): Decision => ({ result, next: countable(next, now) });
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
  if (overwrites === false) return decision({ result: 'newer', ...change });
  if (overwrites.revision !== revision && !(isDryRun && overwrites.revision === undefined))
    return decision({ result: 'not listed', ...change });
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

/** Why an item was not put back: `moved` if it has changed since it was read, so it can be compared again. */
type Obstacle =
  | 'none'
  | 'moved'
  | Pick<Extract<ItemResult, { result: 'identifier taken' }>, 'result' | 'taken'>
  | Pick<Extract<ItemResult, { result: 'rejected' }>, 'result' | 'message'>;

/** One item that is too long must not keep all others from being put back. */
export function rejectionOf(error: unknown): Obstacle {
  const isTooLarge = error instanceof CatalogError && error.code === 'VALIDATION_FAILED';
  const [message] = isTooLarge ? ['The item would exceed 400 KB'] : invalidContent(error);
  if (message === undefined) throw error;
  return { result: 'rejected', message };
}

/** @param freed the identifiers whose guards are deleted. By default, those that only the live item has. */
async function putBack(
  session: Session,
  pair: ItemPair,
  revision: number,
  freed = identifiersNotIn(identifiersIn(pair.seen), identifiersIn(pair.copy)),
): Promise<Obstacle> {
  const taken = identifiersOf(pair.copy);
  const parts = {
    [itemPart]: putItemBack(session.context, { ...pair, revision, sentAt: session.clock.now() }),
    ...guardParts(session.context, pair.id, { taken, freed }),
  };
  try {
    await transact(session, parts);
    return 'none';
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed(itemPart)) return 'moved';
    const guards = taken.filter((one) => error.failed(guardPart.put(one)));
    if (guards.length > 0) return identifierTaken(guards.map((one) => [one, error.stored(guardPart.put(one))]));
    // A damaged item may have an identifier whose guard belongs to another item. Keep that guard.
    const own = freed.filter((one) => !error.failed(guardPart.delete(one)));
    return putBack(session, pair, revision, own);
  }
}

const itemPart = 'item';

/** The identifiers in a record that may be missing or damaged. */
export const identifiersIn = (record: StoredRecord | undefined): Identifiers => {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return byName(identifierNames, (name) => text(record?.[name]));
};

const identifiersOf = (copy: StoredRecord): Identifier[] => identifiersNotIn(identifiersIn(copy), noIdentifiers);

/** For a dry run: whether other items have the guards now. */
async function foreignGuards(
  session: Session,
  { account, id, copy }: ItemPair,
  isFreed: (item: number) => boolean,
): Promise<Obstacle> {
  const guards = identifiersOf(copy).map(
    async (one) => [one, await getRecord(session, keys.guard(account, one.name, one.text))] as const,
  );
  const isForeign = (owner: number | undefined) => owner === undefined || (owner !== id && !isFreed(owner));
  const foreign = (await Promise.all(guards)).filter(([, guard]) => guard !== undefined && isForeign(ownerIn(guard)));
  return foreign.length > 0 ? identifierTaken(foreign) : 'none';
}

const identifierTaken = (guards: readonly (readonly [Identifier, StoredRecord | undefined])[]): Obstacle => ({
  result: 'identifier taken',
  taken: guards.map(([{ name }, guard]) => ({ field: name, item: ownerIn(guard ?? {}) ?? null })),
});
