import { encodeCursor, placeForm } from '../http/cursor.ts';
import { listParameters, readable, requireListed } from '../http/listParameters.ts';
import { type OperationDependencies, operation, type ProxyHandler, servedTogether } from '../http/operation.ts';
import { fitting, timestamp } from '../http/presenter.ts';
import { pathId, query } from '../http/requestParts.ts';
import { parseTime, timeReason } from '../item/epoch.ts';
import { limits } from '../item/limits.ts';
import type { ChangeReader } from './dynamoChangeReader.ts';
import { presentChange } from './recordedChange.ts';

/** A cursor has a number as its id and no name, or for an item's changes a place among them as its name. */
const changeParameters = { cursor: { schema: listParameters.cursor.schema }, limit: listParameters.limit };

/** A plus sign that is not escaped arrives as a blank. */
const time = readable(timeReason, (sent) => parseTime(sent.replace(' ', '+')));

const accountParameters = { ...changeParameters, from: { schema: time, notWith: ['cursor'] } };

/** `GET …/changes` and `GET …/items/{id}/changes`: 200 with a page of changes, and the cursor to continue with. */
export const listChangesHandler = (dependencies: OperationDependencies<ChangeReader>): ProxyHandler =>
  servedTogether({
    listChanges: operation('listChanges', dependencies)
      .use(query(accountParameters))
      .handler(async (_, { caller, store, query: { cursor, limit = limits.page.default, from } }) => {
        requireListed(cursor, ({ name }) => name === '');
        const start = from === undefined ? cursor?.id : await store.findChange(from);
        const { changes, next, hasMore } = await store.listChanges(start, limit);
        const data = fitting(changes.map((change) => presentChange(change, caller)));
        const cut = changes[data.length]?.number;
        const page = { data, next_cursor: encodeCursor({ name: '', id: cut ?? next }) };
        return { body: { ...page, has_more: hasMore || cut !== undefined, read_at: timestamp(dependencies.now()) } };
      }),
    listItemChanges: operation('listItemChanges', dependencies)
      .use(pathId('ITEM_NOT_FOUND'))
      .use(query(changeParameters))
      .handler(async (_, { caller, store, id, query: { cursor, limit = limits.page.default } }) => {
        requireListed(cursor, (position) => position.id === id && placeForm.test(position.name));
        const { changes, next } = await store.listItemChanges(id, cursor?.name, limit);
        const data = fitting(changes.map((change) => presentChange(change, caller)));
        const end = data.length < changes.length ? changes[data.length - 1]?.place : next;
        return { body: { data, next_cursor: end === undefined ? null : encodeCursor({ name: end, id }) } };
      }),
  });
