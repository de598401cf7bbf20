import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { getCatalog } from '../../lib/catalog/getCatalog.ts';
import { getItem } from '../../lib/catalog/getItem.ts';
import { type ItemQuery, listItems } from '../../lib/catalog/listItems.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { Database } from '../../lib/store/database/database.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { defaultQuery } from '../support/items/defaultQuery.ts';
import { testCaller } from '../support/lambda/proxyEvent.ts';
import { page, tableAfter } from '../support/programs/pages.ts';
import { metering } from '../support/table/metering.ts';
import {
  createIn,
  createTestTable,
  newContainer,
  newReader,
  openTestAccount,
  testCall,
} from '../support/table/testTable.ts';

it('reads take the requests and read units on the design page', async () => {
  const table = await createTestTable();
  const account = await openTestAccount(table);
  const store = newContainer(table);
  const item = await createIn(store, testCall(account), { sku: 'A' });
  for (let index = 0; index < 60; index += 1) await createIn(store, testCall(account), { name: `Chair ${index}` });

  const token = createToken();
  await table.client.send(new PutCommand({ TableName: table.table, Item: newTokenRecord(token, testCaller(account)) }));

  const meter = metering(table.client);
  const reader = newReader({ client: meter.client, table: table.table });
  await getCatalog(reader(testCall(account)));
  const list = (query: Partial<ItemQuery>) => () => listItems(reader(testCall(account)), { ...defaultQuery, ...query });
  const rows: Record<string, () => Promise<unknown>> = {
    'an item': () => getItem(reader(testCall(account)), item.id),
    'a page of 50 items': list({}),
    'the item with an identifier': list({ identifier: { name: 'sku', text: 'A' } }),
    '40 items by their ids': list({ ids: Array.from({ length: 40 }, (_, index) => item.id + index) }),
    'reference data': () => getCatalog(reader(testCall(account))),
    'a token, by the authorizer': () =>
      findToken(new Database(meter.client, table.table).for(testCall(account)), token),
  };
  const measured: string[][] = [];
  for (const [row, read] of Object.entries(rows)) {
    meter.reset();
    await read();
    measured.push([row, String(meter.requests()), String(meter.units())]);
  }
  expect(tableAfter(page('docs/design.md'), 'Reads are strongly consistent')).toEqual(measured);
});
