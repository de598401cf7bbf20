import type { IdentifierQuery } from '../../catalog/catalogReader.ts';
import type { Item } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { getRecord, getRecords } from '../database/reads.ts';
import { readGuard } from '../records/guardRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';

/** Reads the current item; undefined if the account has none with this id. */
export async function findItem(session: Session, id: number): Promise<Item | undefined> {
  const record = await getRecord(session, keys.item(session.context.account, id));
  return record && readItem(record).item;
}

/** Reads the current items in one round trip, by their ids. Those that the account does not have are left out. */
export async function findItems(session: Session, ids: readonly number[]): Promise<ReadonlyMap<number, Item>> {
  const records = await getRecords(
    session,
    ids.map((id) => keys.item(session.context.account, id)),
  );
  return new Map(records.map((record) => readItem(record).item).map((item) => [item.id, item]));
}

/**
 * Finds the item with an identifier through its guard. If the identifier moves to another item between the two reads,
 * the guard is read again.
 */
export async function findByIdentifier(session: Session, { name, text }: IdentifierQuery): Promise<Item | undefined> {
  for (let last: number | undefined; ; ) {
    const guard = await getRecord(session, keys.guard(session.context.account, name, text));
    const owner = guard && readGuard(guard);
    // A partial restore can leave a guard whose item does not have the identifier.
    if (owner === undefined || owner === last) return undefined;
    const item = await findItem(session, owner);
    if (item?.[name] === text) return item;
    last = owner;
  }
}
