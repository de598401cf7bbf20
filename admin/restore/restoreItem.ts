import { isDeepStrictEqual } from 'node:util';
import type { Identifier } from '../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { listedName } from '../../lib/item/listedName.ts';
import { type Database, getRecord, type Session } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed, invalidContent } from '../../lib/store/database/failures.ts';
import { keyAttributes, type StoredRecord } from '../../lib/store/database/record.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import {
  guardPart,
  guardParts,
  identifiersNotIn,
  noIdentifiers,
  ownerIn,
} from '../../lib/store/records/guardRecord.ts';
import { type ItemRecord, lastWrite, readItem } from '../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { problemOf } from '../table/recordProblem.ts';
import { unusedNumber } from '../table/unusedNumber.ts';
import { highestCount } from '../verification/check.ts';
import type { ItemResult } from './copyOutcome.ts';

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
 * Puts an item back that is missing, with its guards, in one transaction. It succeeds only if the item is still missing,
 * and its identifiers are free or its own. So this can run during live traffic, be killed at any point, and run again. An
 * item that exists is only compared.
 * @param copy the item's record in the restored table
 * @param present its record in the table in use; undefined if it is missing
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function restoreItem(
  options: RestoreOptions,
  account: string,
  copy: StoredRecord,
  present: StoredRecord | undefined,
): Promise<ItemResult> {
  if (present !== undefined) return comparedResult(copy, present);
  const problem = problemOf(copy);
  if (problem !== undefined) return { result: 'copy damaged', problem };
  const session = operatorSession(options.live, account);
  return options.isDryRun ? plannedResult(session, copy) : putBack(session, copy, options.to);
}

/** The result for an item that is not missing. */
function comparedResult(copy: StoredRecord, present: StoredRecord): ItemResult {
  const { created_at: createdAt } = present;
  if (Number.isSafeInteger(createdAt) && createdAt !== copy['created_at']) return { result: 'id taken' };
  const problem = problemOf(present);
  if (problem !== undefined) return { result: 'damaged', problem };
  // Nothing is lost, so a damaged copy does not matter.
  if (problemOf(copy) !== undefined) return { result: 'unchanged' };
  const { item: before } = readItem(copy);
  const { item: now } = readItem(present);
  const changed = fieldNames.filter((name) => !isDeepStrictEqual(now[name], before[name]));
  return changed.length === 0 ? { result: 'unchanged' } : { result: 'kept', fields: changed, writtenBy: now.updatedBy };
}

const identifiersOf = ({ item }: ItemRecord): readonly Identifier[] => identifiersNotIn(item, noIdentifiers);

/** The result of a dry run for an item that is missing. */
async function plannedResult(session: Session, copy: StoredRecord): Promise<ItemResult> {
  const stored = readItem(copy);
  const identifiers = identifiersOf(stored);
  const guards = await Promise.all(
    identifiers.map(({ name, text }) => getRecord(session, keys.guard(session.context.account, name, text))),
  );
  return takenResult(stored.item.id, identifiers, guards) ?? { result: 'put back' };
}

async function putBack(session: Session, copy: StoredRecord, to: EpochMs): Promise<ItemResult> {
  const stored = readItem(copy);
  const { id, revision } = stored.item;
  const identifiers = identifiersOf(stored);
  const now = session.clock.now();
  const parts = {
    [itemPart]: putItemBack(session.context, copy, revisionAfter(revision, to, now), now),
    ...guardParts(session.context, id, { taken: identifiers, freed: [] }),
  };
  try {
    await transact(session, parts);
    return { result: 'put back' };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) return rejectionOf(error);
    if (error.failed(itemPart)) return lateResult(session, copy);
    const guards = identifiers.map((identifier) => error.stored(guardPart.put(identifier)));
    return takenResult(id, identifiers, guards) ?? lateResult(session, copy);
  }
}

const itemPart = 'item';

/**
 * @param guards those of the identifiers, in their order, as far as they exist
 * @returns undefined if no guard is for another item
 */
function takenResult(
  id: number,
  identifiers: readonly Identifier[],
  guards: readonly (StoredRecord | undefined)[],
): ItemResult | undefined {
  const taken = identifiers.flatMap(({ name: field }, index) => {
    const guard = guards[index];
    if (guard === undefined) return [];
    const owner = ownerIn(guard) ?? null;
    return owner === id ? [] : [{ field, item: owner }];
  });
  return taken.length > 0 ? { result: 'identifier taken', taken } : undefined;
}

/** The result after a failed condition: the transaction was done and its response lost, or another writer was faster. */
async function lateResult(session: Session, copy: StoredRecord): Promise<ItemResult> {
  const { account, writeId } = session.context;
  const present = await getRecord(session, keys.item(account, readItem(copy).item.id));
  if (present === undefined) return { result: 'written meanwhile' };
  return present['written_stamp'] === writeId ? { result: 'put back' } : comparedResult(copy, present);
}

/** One item that is too long must not keep all others from being put back. */
function rejectionOf(error: unknown): ItemResult {
  const isTooLarge = error instanceof CatalogError && error.code === 'VALIDATION_FAILED';
  const [message] = isTooLarge ? ['The item would exceed 400 KB'] : invalidContent(error);
  if (message === undefined) throw error;
  return { result: 'rejected', message };
}

/** A revision that no client has seen, and above which there are enough for updates. */
const revisionAfter = (revision: number, to: EpochMs, now: EpochMs): number => {
  const next = unusedNumber(revision, now - to);
  return next > highestCount ? unusedNumber(0, now) : next;
};

/** Puts an item with all of its attributes, including those that this version does not know. */
function putItemBack(context: RequestContext, copy: StoredRecord, revision: number, sentAt: EpochMs): TransactItem {
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
        // if the sender's clock was ahead.
        closed_until: sentAt + timeouts.clockSkew,
      },
      ...expressions((use) => ({ ConditionExpression: isAbsent(use) })),
    },
  };
}
