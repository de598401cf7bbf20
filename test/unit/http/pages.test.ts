import { expect, it } from 'vitest';
import type { CatalogReader } from '../../../lib/catalog/catalogStore.ts';
import type { ChangeReader } from '../../../lib/changes/dynamoChangeReader.ts';
import { listChangesHandler } from '../../../lib/changes/listChangesHandler.ts';
import { encodeCursor } from '../../../lib/http/cursor.ts';
import { listItemsHandler } from '../../../lib/http/listItemsHandler.ts';
import { operations } from '../../../lib/http/operations.ts';
import { payloadLimit } from '../../../local/functions/invoke.ts';
import { sampleAccount } from '../../support/items/sampleAccount.ts';
import { sampleItem } from '../../support/items/sampleItem.ts';
import { arrivalTime, gatewayEvent, lambdaContext } from '../../support/lambda/gatewayEvent.ts';

const dependencies = {
  now: () => arrivalTime,
  newWriteId: () => 'write-1',
  observe: () => undefined,
  corsOrigins: ['*'],
};

/** Texts that take more bytes in a response than in the table, or more in Lambda's measure than in a response. */
const quote = '"';
const texts = [quote, '\u0001', 'ä\n'];
const ids = Array.from({ length: 100 }, (_, index) => index + 1);

/** Items of 40 KB. */
function itemStore(text: string): CatalogReader {
  const long = (length: number) => text.repeat(length / text.length);
  const metadata = Object.fromEntries(ids.slice(0, 10).map((key) => [`k${key}`, long(2_000)]));
  const items = ids.map((id) => ({ ...sampleItem, id, description: long(20_000), metadata }));
  return {
    account: async () => sampleAccount,
    currentAccount: async () => sampleAccount,
    findItem: async () => sampleItem,
    findItems: async (wanted) => new Map(items.filter(({ id }) => wanted.includes(id)).map((item) => [item.id, item])),
    findByIdentifier: async () => undefined,
    listPage: async ({ after }) => ({
      items: items.slice(after?.id ?? 0).map((item) => ({ item, position: { name: 'chair', id: item.id } })),
      next: undefined,
    }),
  };
}

/** Changes that are as large as they are kept, although a query of the table reads only 1 MB of them. */
function changeStore(text: string): ChangeReader {
  const to = text.repeat(10_000 / text.length);
  const changes = ids.map((number) => ({
    number,
    place: String(number).padStart(40, '0'),
    item: 7,
    kind: 'updated' as const,
    revision: number,
    updatedAt: arrivalTime,
    updatedBy: text.repeat(100),
    recordedAt: arrivalTime,
    fields: [{ field: 'metadata' as const, key: 'a', from: to.slice(0, 400), to }],
  }));
  return {
    listChanges: async (from = 1) => ({ changes: changes.slice(from - 1), next: 101, hasMore: false }),
    findChange: async () => 1,
    listItemChanges: async (_item, after = '0') => ({ changes: changes.slice(Number(after)), next: undefined }),
  };
}

const listItems = (text: string) => listItemsHandler({ ...dependencies, openStore: () => itemStore(text) });
const listAll = (text: string) => listChangesHandler({ ...dependencies, openStore: () => changeStore(text) });

it.each([
  ...texts.map((text) => ['listItems', text, listItems, { include_inactive: 'true' }] as const),
  ['listItems', quote, listItems, { ids: ids.join() }],
  ['listChanges', quote, listAll, { cursor: encodeCursor({ name: '', id: 1 }) }],
  ['listItemChanges', quote, listAll, {}],
] as const)('%s returns pages of %j that Lambda can return, each entry once', async (name, text, handlerOf, query) => {
  const { method, path } = operations[name];
  const handler = handlerOf(text);
  const seen: number[] = [];
  let sent: Record<string, string> = query;
  for (let cursor = ''; cursor !== null && seen.length < ids.length; sent = { ...query, cursor }) {
    const event = { ...gatewayEvent({ id: '7', query: sent }), httpMethod: method, resource: path };
    const result = await handler(event, lambdaContext());
    expect(result.statusCode).toBe(200);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(payloadLimit);
    const { data, next_cursor, has_more } = JSON.parse(result.body);
    seen.push(...data.map(({ id, number }: { id?: number; number?: number }) => id ?? number));
    const isCut = seen.length < ids.length;
    expect(has_more ?? isCut).toBe(isCut);
    cursor = next_cursor;
  }
  expect(seen).toEqual(ids);
});
