import { ConditionFailed } from '../../store/database/failures.ts';
import { getRecord } from '../../store/database/reads.ts';
import type { TransactionParts } from '../../store/database/writes.ts';
import { transact } from '../../store/database/writes.ts';
import type { Identifier } from '../../store/records/guardRecord.ts';
import { deleteGuard, identifiersNotIn, noIdentifiers, putGuard } from '../../store/records/guardRecord.ts';
import { keys } from '../../store/records/keys.ts';
import { putItemBack } from '../../store/records/restoredItem.ts';
import { operatorSession } from '../operatorSession.ts';
import type { BlockedItem, ItemResult } from './copyOutcome.ts';
import type { ItemPair, RestoreOptions } from './restoreItem.ts';
import { decide, identifiersIn, rejectionOf } from './restoreItem.ts';

/**
 * Sorts items of an account, so that each comes after those that have its identifiers. Items that have each other's come
 * together.
 */
export function inOrder(blocked: readonly BlockedItem[]): BlockedItem[][] {
  const left = new Map(blocked.map((one) => [one.id, one]));
  /** An item, and all those that must be put back before it or with it. */
  const needed = (item: BlockedItem): BlockedItem[] => {
    const all = new Set([item]);
    for (const { taken } of all)
      for (const other of taken.map(({ item: owner }) => left.get(owner ?? 0))) if (other !== undefined) all.add(other);
    return [...all];
  };
  const sizes = blocked.map((item) => ({ item, size: needed(item).length })).sort((a, b) => a.size - b.size);
  return sizes.flatMap(({ item }) => {
    if (!left.has(item.id)) return [];
    const together = needed(item);
    for (const { id } of together) left.delete(id);
    return [together];
  });
}

/** DynamoDB's maximum for a transaction. */
const maxParts = 100;

/**
 * Puts back items of an account that have each other's identifiers, in one transaction, because none of them can be
 * put back before the others.
 * @param pairs their copies must be readable
 * @returns their results; undefined if nothing was written, because one of them is not to be put back, has changed, or
 * a transaction cannot hold them
 * @throws CatalogError `SERVICE_UNAVAILABLE` if the table does not answer in time
 */
export async function exchangeIdentifiers(
  options: RestoreOptions,
  account: string,
  pairs: readonly ItemPair[],
): Promise<ItemResult[] | undefined> {
  const session = operatorSession(options.live, account);
  const sentAt = session.clock.now();
  const decided = pairs.map((pair) => ({ pair, ...decide(options, pair, sentAt) }));
  if (decided.some(({ result }) => result.result !== 'put back')) return undefined;
  const guards = pairs.map(({ id, seen, copy }) => ({ id, before: identifiersIn(seen), after: identifiersIn(copy) }));
  const ownerOf = ({ name, text }: Identifier) => guards.find(({ before }) => before[name] === text)?.id;
  const parts: TransactionParts = Object.fromEntries([
    ...decided.map(({ pair, next }) => [
      `item ${pair.id}`,
      putItemBack(session.context, { ...pair, revision: next, sentAt }),
    ]),
    ...guards.flatMap(({ id, before, after }) =>
      identifiersNotIn(before, after).map((one) => [nameOf(one), deleteGuard(session.context, id, one)]),
    ),
    // Instead of deleting the guard of an identifier that another item frees.
    ...guards.flatMap(({ id, after }) =>
      identifiersNotIn(after, noIdentifiers).map((one) => [
        nameOf(one),
        putGuard(session.context, id, one, ownerOf(one)),
      ]),
    ),
  ]);
  if (Object.keys(parts).length > maxParts) return undefined;
  const isDone = await transact(session, parts).then(
    () => true,
    async (error: unknown) => {
      if (!(error instanceof ConditionFailed)) return rejectionOf(error) === 'none';
      // It may have been done, and its response lost.
      const seen = await getRecord(session, keys.item(account, pairs[0]?.id ?? 0));
      return seen?.['written_stamp'] === session.context.writeId;
    },
  );
  return isDone ? decided.map(({ result }) => result) : undefined;
}

const nameOf = ({ name, text }: Identifier): string => `${name} ${text}`;
