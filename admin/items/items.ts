import { CommandError } from '../../cli/commandError.ts';
import type { Identifier } from '../../lib/catalog/catalogStore.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import type { Item } from '../../lib/item/item.ts';
import { idempotencyLifetime } from '../../lib/item/limits.ts';
import { type Database, getRecord, type Session } from '../../lib/store/database/database.ts';
import { expressions } from '../../lib/store/database/expressions.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import { deleteGuard, identifiersNotIn, noIdentifiers, ownerIn } from '../../lib/store/records/guardRecord.ts';
import { isUnchanged, readItem } from '../../lib/store/records/itemRecord.ts';
import { keyIn, keys, parseKey } from '../../lib/store/records/keys.ts';
import { explained, operatorSession } from '../table/operatorSession.ts';
import { type PacedTable, scanTable } from '../table/scanTable.ts';

/** An item as it is stored, with what requests do not see. */
export interface StoredItem {
  readonly item: Item;
  readonly writtenAt: EpochMs;
  /** The guard of each of its identifiers, with the item that the guard names; undefined if there is no guard. */
  readonly guards: readonly (Identifier & { readonly owner: number | undefined })[];
  readonly record: StoredRecord;
}

/** Reads an item with the guards of its identifiers. @throws CommandError if the account has no such item */
export async function readStoredItem(session: Session, id: number): Promise<StoredItem> {
  const found = await findStoredItem(session, id);
  if (found === undefined) throw new CommandError(`The account ${session.context.account} has no item ${id}.`);
  return found;
}

export async function findStoredItem(session: Session, id: number): Promise<StoredItem | undefined> {
  const { account } = session.context;
  const record = await getRecord(session, keys.item(account, id));
  if (record === undefined) return undefined;
  const { item, writtenAt } = readItem(record);
  const guards = await Promise.all(
    identifiersNotIn(item, noIdentifiers).map(async (identifier) => {
      const guard = await getRecord(session, keys.guard(account, identifier.name, identifier.text));
      return { ...identifier, owner: guard && ownerIn(guard) };
    }),
  );
  return { item, writtenAt, guards, record };
}

/** A write that was sent this long ago, in milliseconds, can no longer land, even if its sender's clock was ahead. */
export const settling = timeouts.function + timeouts.clockSkew;

/**
 * Deletes an item, and frees its identifiers.
 * @param created the records of its {@link findIdempotencyRecords}
 * @throws CommandError if it was written since it was seen, or a moment before: a write that is sent again could bring it back
 */
export async function deleteItem(
  database: Database,
  account: string,
  seen: StoredItem,
  created: readonly Key[] = [],
): Promise<void> {
  const { id } = seen.item;
  if (seen.writtenAt > database.clock.now() - settling)
    throw new CommandError(`Item ${id} was written a moment ago. Try again in ${settling / 1000} s.`);
  const isAsSeen = expressions((use) => ({ ConditionExpression: isUnchanged(use, seen.record) }));
  const parts: Record<string, TransactItem> = { item: { Delete: { Key: keys.item(account, id), ...isAsSeen } } };
  for (const guard of seen.guards) if (guard.owner === id) parts[guard.name] = deleteGuard({ account }, id, guard);
  for (const Key of created) parts[Key.pk] = { Delete: { Key } };
  const changed = `Item ${id} was changed by somebody else meanwhile. Check it again.`;
  await transact(operatorSession(database, account), parts).catch(explained(() => changed));
}

/**
 * The keys of the records that answer a repeated create with an item, by its id. They expire after a day, and their keys
 * are not known, so if one of the items was created within the last one, this reads the whole table.
 */
export async function findIdempotencyRecords(
  table: PacedTable,
  account: string,
  items: readonly Item[],
): Promise<ReadonlyMap<number, Key[]>> {
  const since = table.database.clock.now() - idempotencyLifetime * 1_000 - settling;
  const found = new Map(items.filter(({ createdAt }) => createdAt >= since).map(({ id }): [number, Key[]] => [id, []]));
  if (found.size === 0) return found;
  await scanTable(table, (records) => {
    for (const record of records) {
      const key = parseKey(keyIn(record));
      const copy = record['item'] as StoredRecord | undefined;
      if (key?.kind === 'idempotency' && key.account === account) found.get(Number(copy?.['id']))?.push(keyIn(record));
    }
  });
  return found;
}
