import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createTable } from '../../../../tools/local/engine/createTable.ts';
import { readStream } from '../../../../tools/local/engine/readStream.ts';

test('hands on every write in order, as Lambda sends it, and again what fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const endpoint = inject('dynamodb');
  const TableName = `test-${randomUUID()}`;
  const definition = {
    schema: inject('tableSchema'),
    expiryAttribute: undefined,
    stream: 'NEW_AND_OLD_IMAGES',
  } as const;
  await createTable(endpoint, TableName, definition);
  const client = new DynamoDBClient({ endpoint });
  const put = (n: number) =>
    client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, sk: { S: 'b' }, n: { N: String(n) } } }));
  for (const n of [1, 2]) await put(n);
  const taken: DynamoDBStreamEvent['Records'][] = [];
  const end = readStream(endpoint, TableName, async (event) => {
    taken.push((event as DynamoDBStreamEvent).Records);
    if (taken.length === 1) throw new Error('killed');
  });
  await vi.waitUntil(() => taken.length === 2, { timeout: 60_000 });
  await put(3);
  await vi.waitUntil(() => taken.length === 3, { timeout: 60_000 });
  await end();
  const numbers = taken.map((records) => records.map(({ dynamodb }) => dynamodb?.NewImage?.['n']?.N));
  expect(numbers).toEqual([['1', '2'], ['1', '2'], ['3']]);
  const { OldImage, ApproximateCreationDateTime: seconds = 0 } = taken[2]?.[0]?.dynamodb ?? {};
  expect(OldImage?.['n']).toEqual({ N: '2' });
  expect(Math.abs(seconds - Date.now() / 1_000)).toBeLessThan(24 * 60 * 60);
  expect(console.error).toHaveBeenCalledOnce();
});
