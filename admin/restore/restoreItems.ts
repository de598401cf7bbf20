import type { Identifier } from '../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { byName, identifierNames } from '../../lib/item/fields.ts';
import { listedName } from '../../lib/item/listedName.ts';
import type { Session } from '../../lib/store/database/database.ts';
import { expressions } from '../../lib/store/database/expressions.ts';
import { ConditionFailed, invalidContent } from '../../lib/store/database/failures.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import { keyAttributes, type StoredRecord } from '../../lib/store/database/record.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import {
  deleteGuard,
  type Identifiers,
  identifiersNotIn,
  noIdentifiers,
  ownerIn,
  putGuard,
} from '../../lib/store/records/guardRecord.ts';
import { isUnchanged, lastWrite, readItem } from '../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../lib/store/records/keys.ts';
import { operatorContext } from '../table/operatorSession.ts';
import { compareItem, type ItemPair, type RestoreOptions } from './compareItem.ts';
import type { ItemResult } from './copyOutcome.ts';

/** An item of the restored table, and what became of it. */
export interface RestoredItem {
  readonly pair: ItemPair;
  readonly result: ItemResult;
}

interface LostItem extends RestoredItem {
  readonly result: Extract<ItemResult, { result: 'put back' }>;
  readonly next: number;
}

const maxRounds = 5;
/** Items that fit in a transaction of 100 parts: each with two guards to put and two to delete. */
export const largestGroup = 20;

/**
 * Puts lost items of an account back, with their guards, in one transaction: all of them or none. Usually that is one
 * item; items that have each other's identifiers can only be put back together. It succeeds only if no item has changed
 * since it was read, and their identifiers are free or their own. Otherwise the items are read and compared again. So
 * this can run during live traffic, be killed at any point, and run again.
 *
 * - An item is lost if it is missing, cannot be read, or has impossible values.
 * - An item with other values was written since. It is put back only at the revision that `overwrites` names, so that
 *   no value is overwritten that the operator has not seen, however often and for how long the command runs.
 * - A guard of another item is never taken over.
 * @param pairs at least one, and at most {@link largestGroup} unless it is a dry run
 * @param isFreed for a dry run: whether the run frees the identifiers of another item
 * @returns what became of each. Unless all are put back, none is.
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function restoreItems(
  options: RestoreOptions,
  account: string,
  pairs: readonly ItemPair[],
  isFreed: (item: number) => boolean,
): Promise<readonly RestoredItem[]> {
  const context = operatorContext(options.live, account);
  const session = options.live.for({ ...context, writeId: pairs[0]?.writeId ?? context.writeId });
  let current = pairs;
  for (let round = 0; round < maxRounds; round += 1) {
    const compared = current.map((pair) => ({ pair, ...compareItem(options, pair, session.clock.now()) }));
    const lost = compared.filter((item): item is LostItem => item.result.result === 'put back');
    if (lost.length < compared.length) return compared;
    const obstacle = await (options.isDryRun ? foreignGuards(session, pairs, isFreed) : putBack(session, lost)).catch(
      rejectionOf,
    );
    if (obstacle === 'none') return lost;
    if (obstacle !== 'moved') return lost.map(({ pair, result }) => ({ pair, result: { ...result, ...obstacle } }));
    const read = async (pair: ItemPair) => ({ ...pair, seen: await getRecord(session, keys.item(account, pair.id)) });
    current = await Promise.all(pairs.map(read));
    // The transaction was done, but its response was lost.
    if (current[0]?.seen?.['written_stamp'] === session.context.writeId) return lost;
  }
  return pairs.map((pair) => ({ pair, result: { result: 'written meanwhile' } }));
}

/** Why items were not put back: `moved` if one has changed since it was read, so they can be compared again. */
type Obstacle =
  | 'none'
  | 'moved'
  | Pick<Extract<ItemResult, { result: 'identifier taken' }>, 'result' | 'taken'>
  | Pick<Extract<ItemResult, { result: 'rejected' }>, 'result' | 'message'>;

/** One item that is too long must not keep all others from being put back. */
function rejectionOf(error: unknown): Obstacle {
  const isTooLarge = error instanceof CatalogError && error.code === 'VALIDATION_FAILED';
  const [message] = isTooLarge ? ['The item would exceed 400 KB'] : invalidContent(error);
  if (message === undefined) throw error;
  return { result: 'rejected', message };
}

/** @param foreign names of guards that belong to other items, although the live items have their identifiers */
async function putBack(
  session: Session,
  lost: readonly LostItem[],
  foreign: readonly string[] = [],
): Promise<Obstacle> {
  const { context, clock } = session;
  const sentAt = clock.now();
  const items = lost.map(({ pair, next }) => ({
    ...pair,
    before: identifiersIn(pair.seen),
    part: putItemBack(context, { ...pair, revision: next, sentAt }),
  }));
  const freed = items.flatMap(({ id, before, copy }) =>
    identifiersNotIn(before, identifiersIn(copy)).map((identifier) => ({ ...identifier, id })),
  );
  const taken = items.flatMap(identifiersOf);
  const ownerOf = ({ name, text }: Identifier) => items.find(({ before }) => before[name] === text)?.id;
  const parts = Object.fromEntries([
    ...items.map(({ id, part }) => [itemPart(id), part]),
    ...freed
      .filter((identifier) => !foreign.includes(guardPart(identifier)))
      .map((identifier) => [guardPart(identifier), deleteGuard(context, identifier.id, identifier)]),
    // Instead of deleting the guard of an identifier that another item frees.
    ...taken.map((identifier) => [
      guardPart(identifier),
      putGuard(context, identifier.id, identifier, ownerOf(identifier)),
    ]),
  ]);
  try {
    await transact(session, parts);
    return 'none';
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (items.some(({ id }) => error.failed(itemPart(id)))) return 'moved';
    const guards = taken.filter((identifier) => error.failed(guardPart(identifier)));
    if (guards.length > 0)
      return identifierTaken(guards.map((identifier) => [identifier, error.stored(guardPart(identifier))]));
    // A damaged item may have an identifier whose guard belongs to another item. Keep that guard.
    const others = freed.map(guardPart).filter((part) => error.failed(part));
    return putBack(session, lost, [...foreign, ...others]);
  }
}

const itemPart = (id: number): string => `item ${id}`;

const guardPart = ({ name, text }: Identifier): string => `${name} ${text}`;

/** The identifiers in a record that may be missing or damaged. */
function identifiersIn(record: StoredRecord | undefined): Identifiers {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return byName(identifierNames, (name) => text(record?.[name]));
}

/** The identifiers of an item's copy, with its id. */
const identifiersOf = ({ id, copy }: ItemPair) =>
  identifiersNotIn(identifiersIn(copy), noIdentifiers).map((identifier) => ({ ...identifier, id }));

/** For a dry run: whether other items have the guards now. */
async function foreignGuards(
  session: Session,
  pairs: readonly ItemPair[],
  isFreed: (item: number) => boolean,
): Promise<Obstacle> {
  const read = async (identifier: Identifier & { readonly id: number }) => {
    const guard = await getRecord(session, keys.guard(session.context.account, identifier.name, identifier.text));
    const owner = guard && ownerIn(guard);
    const isOwn = guard === undefined || owner === identifier.id || (owner !== undefined && isFreed(owner));
    return isOwn ? [] : [[identifier, guard] as const];
  };
  const foreign = (await Promise.all(pairs.flatMap(identifiersOf).map(read))).flat();
  return foreign.length > 0 ? identifierTaken(foreign) : 'none';
}

const identifierTaken = (guards: readonly (readonly [Identifier, StoredRecord | undefined])[]): Obstacle => ({
  result: 'identifier taken',
  taken: guards.map(([{ name }, guard]) => ({ field: name, item: ownerIn(guard ?? {}) ?? null })),
});

/**
 * Puts the item with all of its attributes, including those that this version does not know. The write fails if the item
 * has changed since it was seen.
 * @param put with a copy that can be read
 */
export function putItemBack(
  context: RequestContext,
  put: Pick<ItemPair, 'copy' | 'seen'> & { readonly revision: number; readonly sentAt: EpochMs },
): TransactItem {
  const { copy, seen, revision } = put;
  // The item's last write may have come from a container whose clock is ahead.
  const sentAt = Math.max(put.sentAt, Number(seen?.['written_at']) || 0, Number(seen?.['sent_at']) || 0);
  const closedUntil = Number(seen?.['closed_until']);
  const { [keyAttributes.expiry]: _expiry, ...attributes } = copy;
  const { id, name } = readItem(copy).item;
  return {
    Put: {
      Item: {
        ...attributes,
        ...keys.item(context.account, id),
        ...listKey(context.account, id, listedName(name)),
        ...lastWrite(context, sentAt),
        revision,
        // A request that was abandoned before the loss may still be in flight, and must not change the restored item, even
        // if the sender's clock was ahead. The fence is never lowered.
        closed_until: Math.max(sentAt + timeouts.clockSkew, Number.isSafeInteger(closedUntil) ? closedUntil : 0),
      },
      ...expressions((use) => ({ ConditionExpression: isUnchanged(use, seen) })),
    },
  };
}
