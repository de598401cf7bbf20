import type { Database } from '../../store/database/database.ts';
import { ConditionFailed } from '../../store/database/failures.ts';
import { getRecord } from '../../store/database/reads.ts';
import type { TransactionParts } from '../../store/database/writes.ts';
import { transact } from '../../store/database/writes.ts';
import type { Identifier } from '../../store/records/guardRecord.ts';
import { deleteGuard, identifiersNotIn, putGuard } from '../../store/records/guardRecord.ts';
import { keys } from '../../store/records/keys.ts';
import { putItemBack } from '../../store/records/restoredItem.ts';
import { operatorSession } from '../operatorSession.ts';
import type { BlockedItem, ItemResult } from './copyOutcome.ts';
import type { ItemPair, RestoreOptions } from './restoreItem.ts';
import { decide, identifiersIn, identifiersOf, rejectionOf } from './restoreItem.ts';

/**
 * Sorts items of an account, so that each comes after those that have its identifiers. Items that have each other's come
 * together.
 */
export function inOrder(blocked: ReadonlyMap<number, BlockedItem>): number[][] {
  const left = new Map(blocked);
  /** An item, and all those that must be put back before it or with it. */
  const needed = (id: number): Set<number> => {
    const all = new Set([id]);
    for (const one of all)
      for (const { item } of left.get(one)?.taken ?? []) if (item !== null && left.has(item)) all.add(item);
    return all;
  };
  const sizes = [...left.keys()].map((id) => [id, needed(id).size] as const).sort(([, a], [, b]) => a - b);
  return sizes.flatMap(([id]) => {
    if (!left.has(id)) return [];
    const together = needed(id);
    for (const one of together) left.delete(one);
    return [[...together]];
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
  live: Database,
  account: string,
  pairs: readonly ItemPair[],
  options: RestoreOptions,
): Promise<ItemResult[] | undefined> {
  const session = operatorSession(live, account);
  const sentAt = session.clock.now();
  const decided = pairs.map((pair) => ({ pair, ...decide(pair, options, sentAt) }));
  if (decided.some(({ result }) => result.result !== 'put back')) return undefined;
  const items = decided.map(({ pair, next }) => [
    `item ${pair.id}`,
    putItemBack(session.context, { ...pair, revision: next, sentAt }),
  ]);
  const taken = pairs.flatMap(({ id, copy }) => identifiersOf(copy).map((one) => ({ id, one })));
  const freed = pairs
    .flatMap(({ id, seen, copy }) =>
      identifiersNotIn(identifiersIn(seen), identifiersIn(copy)).map((one) => ({ id, one })),
    )
    .filter(({ one }) => !taken.some((other) => isSame(other.one, one)));
  const ownerOf = (one: Identifier) => pairs.find(({ seen }) => identifiersIn(seen)[one.name] === one.text)?.id;
  const parts: TransactionParts = Object.fromEntries([
    ...items,
    ...taken.map(({ id, one }) => [nameOf('put', one), putGuard(session.context, id, one, ownerOf(one))]),
    ...freed.map(({ id, one }) => [nameOf('delete', one), deleteGuard(session.context, id, one)]),
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

const isSame = (one: Identifier, other: Identifier): boolean => one.name === other.name && one.text === other.text;

const nameOf = (verb: string, { name, text }: Identifier): string => `${verb} ${name} ${text}`;
