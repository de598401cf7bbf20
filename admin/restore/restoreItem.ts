import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { listedName } from '../../lib/item/listedName.ts';
import type { Database, Session } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed, invalidContent } from '../../lib/store/database/failures.ts';
import { getRecord } from '../../lib/store/database/reads.ts';
import { keyAttributes, type StoredRecord } from '../../lib/store/database/record.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import {
  guardPart,
  guardParts,
  identifiersNotIn,
  noIdentifiers,
  ownerIn,
} from '../../lib/store/records/guardRecord.ts';
import { lastWrite, readItem } from '../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import { problemOf, valueProblem } from '../table/recordProblem.ts';
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
 * and its identifiers are free or its own. So this can run during live traffic, be killed at any point, and run again.
 * @param copy the item's record in the restored table
 * @param seen its record in the table in use, which is kept as it is; undefined if it is missing
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function restoreItem(
  options: RestoreOptions,
  account: string,
  copy: StoredRecord,
  seen: StoredRecord | undefined,
): Promise<ItemResult> {
  if (seen !== undefined) return keptResult(copy, seen);
  const problem = problemOf(copy) ?? valueProblem(copy);
  if (problem !== undefined) return { result: 'copy damaged', problem };
  const session = operatorSession(options.live, account);
  const { item } = readItem(copy);
  const identifiers = identifiersNotIn(item, noIdentifiers);
  const takenBy = (guards: readonly (StoredRecord | undefined)[]): ItemResult | undefined => {
    const taken = identifiers.flatMap(({ name: field }, index) => {
      const { [index]: guard } = guards;
      const owner = guard && (ownerIn(guard) ?? null);
      return owner === undefined || owner === item.id ? [] : [{ field, item: owner }];
    });
    return taken.length > 0 ? { result: 'identifier taken', taken } : undefined;
  };
  if (options.isDryRun) {
    const guardOf = ({ name, text }: (typeof identifiers)[number]) =>
      getRecord(session, keys.guard(account, name, text));
    return takenBy(await Promise.all(identifiers.map(guardOf))) ?? { result: 'put back' };
  }
  const now = session.clock.now();
  const parts = {
    [itemPart]: putItemBack(session.context, copy, revisionAfter(item.revision, options.to, now), now),
    ...guardParts(session.context, item.id, { taken: identifiers, freed: [] }),
  };
  try {
    await transact(session, parts);
    return { result: 'put back' };
  } catch (error) {
    if (!(error instanceof ConditionFailed)) return rejectionOf(error);
    if (error.failed(itemPart)) return lateResult(session, copy);
    const guards = identifiers.map((identifier) => error.stored(guardPart.put(identifier)));
    return takenBy(guards) ?? lateResult(session, copy);
  }
}

const itemPart = 'item';

/** What is said of an item that is not missing. */
function keptResult(copy: StoredRecord, seen: StoredRecord): ItemResult {
  const { created_at: createdAt } = seen;
  if (Number.isSafeInteger(createdAt) && createdAt !== copy['created_at']) return { result: 'id taken' };
  const problem = problemOf(seen) ?? valueProblem(seen);
  return problem === undefined ? { result: 'kept' } : { result: 'damaged', problem };
}

/** The transaction was done, but its response was lost; or somebody else was faster. */
async function lateResult(session: Session, copy: StoredRecord): Promise<ItemResult> {
  const { account, writeId } = session.context;
  const now = await getRecord(session, keys.item(account, readItem(copy).item.id));
  if (now?.['written_stamp'] === writeId) return { result: 'put back' };
  return now === undefined ? { result: 'written meanwhile' } : keptResult(copy, now);
}

/** One item that is too long must not keep all others from being put back. */
function rejectionOf(error: unknown): ItemResult {
  const isTooLarge = error instanceof CatalogError && error.code === 'VALIDATION_FAILED';
  const [message] = isTooLarge ? ['The item would exceed 400 KB'] : invalidContent(error);
  if (message === undefined) throw error;
  return { result: 'rejected', message };
}

/** One that no client has seen, and from which updates can count on. */
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
