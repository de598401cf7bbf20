import type { Identifier } from '../../catalog/catalogStore.ts';
import type { Item } from '../../item/item.ts';
import type { Session } from '../database/database.ts';
import { getRecord, getRecords, getTogether } from '../database/reads.ts';
import { hasExpired, type Key, type StoredRecord } from '../database/record.ts';
import { readGuard } from '../records/guardRecord.ts';
import { idempotencyRecordKey } from '../records/idempotencyRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';

export async function findItem(session: Session, id: number): Promise<Item | undefined> {
  const record = await getRecord(session, keys.item(session.context.account, id));
  return record && readItem(record).item;
}

/** In one round trip. */
export async function findItems(session: Session, ids: readonly number[]): Promise<ReadonlyMap<number, Item>> {
  const records = await getRecords(
    session,
    ids.map((id) => keys.item(session.context.account, id)),
  );
  return new Map(records.map((record) => readItem(record).item).map((item) => [item.id, item]));
}

export const findByIdentifier = (session: Session, identifier: Identifier): Promise<Item | undefined> =>
  findThroughGuard(session, identifier, (guard) => getRecord(session, guard));

/**
 * Finds the item with an identifier, unless a create with a key was done, from any body. The guard and the key's record
 * are read together, because two reads could show the guard of that create, and not yet the key.
 */
export async function findMatch(
  session: Session,
  identifier: Identifier,
  key: string,
): Promise<Item | 'created' | undefined> {
  let isCreated = false;
  const item = await findThroughGuard(session, identifier, async (guardKey) => {
    const recordKey = idempotencyRecordKey(session.context, { key });
    const [guard, created] = await getTogether(session, [guardKey, recordKey]);
    isCreated = created !== undefined && !hasExpired(created, session.clock.now());
    return isCreated ? undefined : guard;
  });
  return isCreated ? 'created' : item;
}

/** If the identifier moves to another item between the two reads, the guard is read again. */
async function findThroughGuard(
  session: Session,
  { name, text }: Identifier,
  readRecord: (guard: Key) => Promise<StoredRecord | undefined>,
): Promise<Item | undefined> {
  for (let last: number | undefined; ; ) {
    const guard = await readRecord(keys.guard(session.context.account, name, text));
    const owner = guard && readGuard(guard);
    // A partial restore can leave a guard whose item does not have the identifier.
    if (owner === undefined || owner === last) return undefined;
    const item = await findItem(session, owner);
    if (item?.[name] === text) return item;
    last = owner;
  }
}
