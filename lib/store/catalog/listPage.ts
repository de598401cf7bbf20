import type { ListPage, ListPosition, ListQuery } from '../../catalog/catalogStore.ts';
import { filterFields } from '../../item/fields.ts';
import { listedName } from '../../item/listedName.ts';
import type { Session } from '../database/database.ts';
import { equals, expressions } from '../database/expressions.ts';
import { queryPage } from '../database/reads.ts';
import { listPartition, nameIndex } from '../records/keys.ts';
import { readPosition, startKey } from '../records/listEntry.ts';
import { findItems } from './findItem.ts';

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
