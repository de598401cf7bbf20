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
import { putItemBack, wasPutBack } from '../../store/records/restoredItem.ts';
import { operatorSession } from '../operatorSession.ts';
import { problemOf, valueProblem } from '../recordProblem.ts';
import { unusedNumber } from '../unusedNumber.ts';
import type { ItemResult, Loss } from './copyOutcome.ts';

/** An item of the restored table, and its record in both tables. */
export interface ItemPair {
  readonly account: string;
  readonly id: number;
  readonly copy: StoredRecord;
  /** The record in the table in use; undefined if it is missing. */
  readonly seen: StoredRecord | undefined;
}

export interface RestoreOptions {
  /** The restored table's time. */
  readonly to: EpochMs;
  /** When the command began. Restoring the table takes up to an hour after that. */
  readonly began: EpochMs;
  /** If true, nothing is written, and the results say what would be. */
  readonly isDryRun: boolean;
}

interface ItemOptions extends RestoreOptions {
  /** If true, an item with other values gets the older ones back, as a new revision. */
  readonly overwrites: boolean;
}

/** The result of comparing an item, with its new revision if it is to be put back. */
type PutBackResult = Extract<ItemResult, { result: 'put back' }>;
type Decision = Exclude<ItemResult, PutBackResult> | (PutBackResult & { readonly revision: number });

/** Maximum number of attempts if the item keeps changing. */
const maxRounds = 5;

/**
 * Puts a lost item back, with its guards, in one transaction. It succeeds only if the item has not changed since it was
 * read, and its identifiers are free or its own. Otherwise the item is read and compared again. So this can run during
 * live traffic, be killed at any point, and run again.
 *
 * - An item is lost if it is missing, cannot be read, or has impossible values.
 * - An item with other values was written since. It is put back only if `overwrites` is true, only once for the same
 *   `to`, and not if it was written since the command began.
 * - A guard of another item is never taken over.
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function restoreItem(live: Database, pair: ItemPair, options: ItemOptions): Promise<ItemResult> {
  const problem = problemOf(pair.copy) ?? valueProblem(pair.copy);
  if (problem !== undefined) return { result: 'copy damaged', problem };
  const first = pair.seen?.['revision'];
  const session = operatorSession(live, pair.account);
  let current = pair;
  for (let round = 0; round < maxRounds; round += 1) {
    const decision = decide(current, options, live.clock.now());
    if (decision.result !== 'put back') return decision;
    const { revision, ...result } = decision;
    // A client wrote it during this loop, with a clock that is behind.
    if (decision.loss === 'changed' && current.seen?.['revision'] !== first) break;
    const refusal = await (options.isDryRun
      ? guardRefusal(session, current)
      : putBack(session, current, { ...options, revision })
    ).catch(rejectionOf);
    if (refusal === 'none') return result;
    if (refusal !== 'moved') return refusal;
    const seen = await getRecord(session, keys.item(pair.account, pair.id));
    // The transaction was done, but its response was lost.
    if (seen?.['written_stamp'] === session.context.writeId) return result;
    current = { ...pair, seen };
  }
  return { result: 'written meanwhile' };
}

function decide({ copy, seen }: ItemPair, { to, began, overwrites }: ItemOptions, now: number): Decision {
  const { item } = readItem(copy);
  const beyond = unusedNumber(item.revision, now - to);
  const putBack = (loss: Loss, revision: number): Decision => ({ result: 'put back', loss, fields: [], revision });
  if (seen === undefined) return putBack('missing', beyond);
  const createdAt = seen['created_at'];
  if (Number.isSafeInteger(createdAt) && createdAt !== item.createdAt) return { result: 'id taken' };
  if ((problemOf(seen) ?? valueProblem(seen)) !== undefined)
    return putBack('damaged', Math.max(beyond, revisionAfter(seen)));
  const live = readItem(seen);
  const fields = fieldNames.filter((name) => !isDeepStrictEqual(item[name], live.item[name]));
  if (fields.length === 0) return { result: 'whole' };
  // Somebody has written a lower revision past the service. Clients may have seen those above it.
  const revision = live.item.revision < item.revision ? beyond : revisionAfter(seen);
  // The operator wants to undo writes from before the command, not those of clients during it.
  if (overwrites && !wasPutBack(seen, to))
    return live.writtenAt > began
      ? { result: 'written meanwhile' }
      : { result: 'put back', loss: 'changed', fields, revision };
  return { result: 'newer', fields, writtenBy: String(seen['written_by']), writtenAt: live.writtenAt };
}

/** The next revision of an item that may be damaged. */
function revisionAfter({ revision }: StoredRecord): number {
  return Number.isSafeInteger(revision) && Number(revision) < Number.MAX_SAFE_INTEGER ? Number(revision) + 1 : 1;
}

/** Why an item was not put back: `moved` if it has changed since it was read, so it can be compared again. */
type Refusal = 'none' | 'moved' | Extract<ItemResult, { result: 'identifier taken' | 'rejected' }>;

/** One item that is too long must not keep all others from being put back. */
function rejectionOf(error: unknown): Refusal {
  const isTooLarge = error instanceof CatalogError && error.code === 'VALIDATION_FAILED';
  const [message] = isTooLarge ? ['The item would exceed 400 KB'] : invalidContent(error);
  if (message === undefined) throw error;
  return { result: 'rejected', message };
}

/** @param freed the identifiers whose guards are deleted. By default, those that only the live item has. */
async function putBack(
  session: Session,
  pair: ItemPair,
  options: ItemOptions & { readonly revision: number },
  freed = identifiersNotIn(identifiersIn(pair.seen), identifiersIn(pair.copy)),
): Promise<Refusal> {
  const taken = identifiersOf(pair.copy);
  const parts = {
    [itemPart]: putItemBack(session.context, { ...pair, ...options, sentAt: session.clock.now() }),
    ...guardParts(session.context, pair.id, { taken, freed }),
  };
  try {
    await transact(session, parts);
    return 'none';
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed(itemPart)) return 'moved';
    const guards = taken.filter((one) => error.failed(guardPart.put(one)));
    if (guards.length > 0) return refusalOf(guards.map((one) => [one, error.stored(guardPart.put(one))]));
    // A damaged item may have an identifier whose guard belongs to another item. Keep that guard.
    const own = freed.filter((one) => !error.failed(guardPart.delete(one)));
    return putBack(session, pair, options, own);
  }
}

const itemPart = 'item';

/** The identifiers in a record that may be missing or damaged. */
const identifiersIn = (record: StoredRecord | undefined): Identifiers => {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return byName(identifierNames, (name) => text(record?.[name]));
};

const identifiersOf = (copy: StoredRecord): Identifier[] => identifiersNotIn(identifiersIn(copy), noIdentifiers);

/** For a dry run: whether other items have the guards now. */
async function guardRefusal(session: Session, { account, id, copy }: ItemPair): Promise<Refusal> {
  const guards = identifiersOf(copy).map(
    async (one) => [one, await getRecord(session, keys.guard(account, one.name, one.text))] as const,
  );
  const foreign = (await Promise.all(guards)).filter(([, guard]) => guard !== undefined && ownerIn(guard) !== id);
  return foreign.length > 0 ? refusalOf(foreign) : 'none';
}

const refusalOf = (guards: readonly (readonly [Identifier, StoredRecord | undefined])[]): Refusal => ({
  result: 'identifier taken',
  taken: guards.map(([{ name }, guard]) => ({ field: name, item: ownerIn(guard ?? {}) ?? null })),
});
