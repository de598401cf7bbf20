import type { Identifier, ListPage, ListPosition, ListQuery } from '../../catalog/catalogStore.ts';
import { filterFields } from '../../item/fields.ts';
import type { Item } from '../../item/item.ts';
import { listedName } from '../../item/listedName.ts';
import { getRecord, getRecords, getTogether, queryPage, type Session } from '../database/database.ts';
import { equals, expressions } from '../database/expressions.ts';
import { hasExpired, type Key, type StoredRecord } from '../database/record.ts';
import { readGuard } from '../records/guardRecord.ts';
import { idempotencyRecordKey } from '../records/idempotencyRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys, listPartition, nameIndex } from '../records/keys.ts';
import { readPosition, startKey } from '../records/listEntry.ts';

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

/** Maximum number of queries per page, for when a filter excludes much of the list. */
const maxQueries = 4;
/** Each query reads this many times more entries than the one before. */
const growth = 4;

/** Reads a page of an account's list: first the positions from the index, then the current items in one batch. */
export async function listPage(session: Session, query: ListQuery): Promise<ListPage> {
  const { positions, next } = await readPositions(session, query);
  const items = await findItems(
    session,
    positions.map(({ id }) => id),
  );
  const listed = positions.flatMap((position) => {
    const item = items.get(position.id);
    return item === undefined ? [] : [{ item, position }];
  });
  return { items: listed, next };
}

async function readPositions(
  session: Session,
  query: ListQuery,
): Promise<{ positions: readonly ListPosition[]; next: ListPosition | undefined }> {
  // An item that is renamed between two queries may appear twice.
  const positions = new Map<number, ListPosition>();
  let next = query.after;
  // Reading one extra entry shows whether this is the last page.
  let entries = query.limit + 1;
  for (let queries = 1; queries <= maxQueries && positions.size <= query.limit; queries += 1) {
    const page = await queryPage(session, { ...indexQuery(session.context.account, query, next), Limit: entries });
    for (const position of page.records.map(readPosition))
      if (!positions.has(position.id)) positions.set(position.id, position);
    next = page.next && readPosition(page.next);
    if (next === undefined) break;
    entries *= growth;
  }
  const shown = [...positions.values()].slice(0, query.limit);
  return { positions: shown, next: positions.size > query.limit ? shown.at(-1) : next };
}

/** The query for the entries of an account's list that have a prefix and match a filter. */
function indexQuery(account: string, query: ListQuery, after: ListPosition | undefined) {
  const prefix = listedName(query.search);
  const { partition, sort } = nameIndex;
  return {
    IndexName: nameIndex.name,
    ...expressions((use) => {
      const filter = filterFields.flatMap((name) => {
        const value = query[name];
        return value === undefined ? [] : [equals(use, name, value)];
      });
      return {
        KeyConditionExpression: [
          equals(use, partition, listPartition(account)),
          ...(prefix === '' ? [] : [`begins_with(${use.name(sort)}, ${use.value(prefix)})`]),
        ].join(' AND '),
        ...(filter.length > 0 && { FilterExpression: filter.join(' AND ') }),
      };
    }),
    ScanIndexForward: !query.isDescending,
    ...(after && { ExclusiveStartKey: startKey(account, after) }),
  };
}
