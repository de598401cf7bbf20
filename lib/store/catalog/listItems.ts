import type { ListPage, ListQuery, Place } from '../../catalog/catalogReader.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { JsonObject } from '../../item/json.ts';
import { listedName } from '../../item/listedName.ts';
import type { ListReader } from '../database/listReader.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys, listPartition, nameIndex } from '../records/keys.ts';
import { readPlace, startKey } from '../records/listEntry.ts';

/** How many queries a page may take, when much of the list is filtered out. */
const maxQueries = 4;
/** How many times more entries each of them reads than the one before. */
const growth = 4;

/**
 * A page of an account's list: its places from the index, then their items as they are now, in one consistent read.
 * Mostly these are the only two round trips.
 */
export async function listItems(table: ListReader, context: RequestContext, query: ListQuery): Promise<ListPage> {
  const { places, next } = await readPlaces(table, context, query);
  const records = await table.getAll(
    context,
    places.map(({ id }) => keys.item(context.account, id)),
  );
  const items = new Map(records.map((record) => readItem(record).item).map((item) => [item.id, item]));
  const listed = places.flatMap((place) => {
    const item = items.get(place.id);
    return item === undefined ? [] : [{ item, place }];
  });
  return { items: listed, next };
}

async function readPlaces(
  table: ListReader,
  context: RequestContext,
  query: ListQuery,
): Promise<{ places: readonly Place[]; next: Place | undefined }> {
  // An item that is renamed between two queries may be found twice.
  const places = new Map<number, Place>();
  let next = query.after;
  // One more than the page has tells whether it is the last.
  let entries = query.limit + 1;
  for (let queries = 0; queries < maxQueries; queries += 1) {
    const page = await table.queryPage(context, { ...indexQuery(context.account, query, next), Limit: entries });
    for (const place of page.records.map(readPlace)) if (!places.has(place.id)) places.set(place.id, place);
    next = page.next && readPlace(page.next);
    if (next === undefined || places.size > query.limit) break;
    entries *= growth;
  }
  const shown = [...places.values()].slice(0, query.limit);
  return { places: shown, next: places.size > query.limit ? shown.at(-1) : next };
}

/** The entries of an account's list that a filter lets through. */
function indexQuery(account: string, { includeInactive, category, type, search }: ListQuery, after: Place | undefined) {
  const beginning = listedName(search);
  const filtered: JsonObject = {
    ...(!includeInactive && { active: true }),
    ...(category !== undefined && { category }),
    ...(type !== undefined && { type }),
  };
  const filter = Object.keys(filtered).map((name) => `#${name} = :${name}`);
  const key = {
    [nameIndex.partition]: listPartition(account),
    ...(beginning !== '' && { [nameIndex.sort]: beginning }),
  };
  const values = Object.entries({ ...key, ...filtered });
  const { partition, sort } = nameIndex;
  return {
    IndexName: nameIndex.name,
    KeyConditionExpression: `#${partition} = :${partition}${beginning === '' ? '' : ` AND begins_with(#${sort}, :${sort})`}`,
    ...(filter.length > 0 && { FilterExpression: filter.join(' AND ') }),
    ExpressionAttributeNames: Object.fromEntries(values.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
    ...(after && { ExclusiveStartKey: startKey(account, after) }),
  };
}
