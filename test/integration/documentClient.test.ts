import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { acceptedMetadata } from '../support/items/arbitraries.ts';
import { item } from '../support/table/storedRecords.ts';
import { createTestTable } from '../support/table/testTable.ts';

describe('metadata in the table', () => {
  /** Every test opens its own client, because they test how the client is created. */
  const open = async () => {
    const { client, table: TableName } = await createTestTable();
    return async (metadata: unknown): Promise<unknown> => {
      const { pk, sk, ...rest } = item('acme', 1);
      await client.send(new PutCommand({ TableName, Item: { pk, sk, ...rest, metadata } }));
      const { Item } = await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }));
      return readItem(Item ?? {}).item.metadata;
    };
  };

  it('is read back as written, for any JSON that the API accepts', async () => {
    const kept = await open();
    await fc.assert(
      fc.asyncProperty(acceptedMetadata, async (sent) => {
        const metadata = JSON.parse(JSON.stringify(sent));
        expect(await kept(metadata)).toEqual(metadata);
      }),
    );
  });

  it.each([
    ['a set', { tags: new Set(['a']) }],
    ['binary', { list: [new Uint8Array([1])] }],
  ])('is rejected if another program has stored %s in it', async (_case, metadata) => {
    const kept = await open();
    await expect(kept(metadata)).rejects.toMatchObject({ issues: [{ path: ['metadata'] }] });
  });
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
