import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { acceptedMetadata } from '../support/items/arbitraries.ts';
import { item } from '../support/table/storedRecords.ts';
import { createTestTable } from '../support/table/testTable.ts';

it('metadata is read back from the table as written, for any JSON that the API accepts', async () => {
  const { client, table: TableName } = await createTestTable();
  const { pk, sk, ...rest } = item('acme', 1);
  await fc.assert(
    fc.asyncProperty(acceptedMetadata, async (sent) => {
      const metadata = JSON.parse(JSON.stringify(sent));
      await client.send(new PutCommand({ TableName, Item: { pk, sk, ...rest, metadata } }));
      const { Item } = await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }));
      expect(readItem(Item ?? {}).item.metadata).toEqual(metadata);
    }),
  );
});

it('the document client does not mix up concurrent requests of the same kind', async () => {
  const { client, table: TableName } = await createTestTable();
  const numbers = Array.from({ length: 20 }, (_, number) => number);
  const key = (number: number) => ({ pk: `P${number}`, sk: 'S' });
  await Promise.all(
    numbers.map((number) => client.send(new PutCommand({ TableName, Item: { ...key(number), number } }))),
  );
  const read = await Promise.all(numbers.map((number) => client.send(new GetCommand({ TableName, Key: key(number) }))));
  expect(read.map(({ Item }) => Item?.['number'])).toEqual(numbers);
});
