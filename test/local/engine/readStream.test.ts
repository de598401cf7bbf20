import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { localClientConfig } from '../../../cli/localCredentials.ts';
import { createTable } from '../../../local/engine/createTable.ts';
import { readStream } from '../../../local/engine/readStream.ts';
import { startEngine } from '../../../local/engine/startEngine.ts';
import { temporaryFolder } from '../../support/programs/program.ts';
import { usesEmbeddedEngine } from '../../support/setup/usesEmbeddedEngine.ts';

/** A table with a stream, unless it exists, to which one record is put. */
async function newTable(endpoint: string, TableName = `test-${randomUUID()}`) {
  const definition = {
    schema: inject('tableSchema'),
    expiryAttribute: undefined,
    stream: 'NEW_AND_OLD_IMAGES',
  } as const;
  await createTable(endpoint, TableName, definition);
  const client = new DynamoDBClient({ endpoint, ...localClientConfig() });
  const put = (n: number) =>
    client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, sk: { S: 'b' }, n: { N: String(n) } } }));
  return { TableName, put };
}

const numbersIn = (records: DynamoDBStreamEvent['Records']) =>
  records.map(({ dynamodb }) => dynamodb?.NewImage?.['n']?.N);

test.runIf(usesEmbeddedEngine)('continues where it was after a restart, with the last write', async () => {
  const data = temporaryFolder();
  let engine = await startEngine(data);
  onTestFinished(() => engine.stop());
  const { TableName, put } = await newTable(engine.endpoint);
  const read = async (last: string) => {
    const taken: unknown[] = [];
    const end = readStream(engine, TableName, async (event) =>
      taken.push(...numbersIn((event as DynamoDBStreamEvent).Records)),
    );
    await vi.waitUntil(() => taken.includes(last), { timeout: 60_000 });
    await end();
    return taken;
  };
  for (let n = 1; n <= 250; n += 1) await put(n);
  expect(await read('250')).toHaveLength(250);
  await engine.stop();
  engine = await startEngine(data);
  const { put: putAgain } = await newTable(engine.endpoint, TableName);
  for (const n of [251, 252]) await putAgain(n);
  expect(await read('252')).toEqual(['250', '251', '252']);
});

test('hands on every write in order, as Lambda sends it, and again what fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  const endpoint = inject('dynamodb');
  const { TableName, put } = await newTable(endpoint);
  for (const n of [1, 2]) await put(n);
  const taken: DynamoDBStreamEvent['Records'][] = [];
  const end = readStream({ endpoint }, TableName, async (event) => {
    taken.push((event as DynamoDBStreamEvent).Records);
    if (taken.length === 1) throw new Error('killed');
  });
  await vi.waitUntil(() => taken.length === 2, { timeout: 60_000 });
  await put(3);
  await vi.waitUntil(() => taken.length === 3, { timeout: 60_000 });
  await end();
  expect(taken.map(numbersIn)).toEqual([['1', '2'], ['1', '2'], ['3']]);
  const { OldImage, ApproximateCreationDateTime: seconds = 0 } = taken[2]?.[0]?.dynamodb ?? {};
  expect(OldImage?.['n']).toEqual({ N: '2' });
  expect(Math.abs(seconds - Date.now() / 1_000)).toBeLessThan(24 * 60 * 60);
  expect(console.error).toHaveBeenCalledOnce();
});
