import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';
import { createTable } from '../../../local/engine/createTable.ts';
import { readDeployment, type TableDefinition } from '../../../local/template/readDeployment.ts';
import { sampleResources, sampleTemplate } from '../template/sampleTemplate.ts';

const sampleTable = (name: string) =>
  readDeployment(sampleTemplate(sampleResources), name).tables.get(name) as TableDefinition;

test('creates the table in the template, and does not touch an existing one', async () => {
  const client = new DynamoDBClient({ endpoint: inject('dynamodb') });
  const TableName = `test-${randomUUID()}`;
  const table = sampleTable(TableName);
  await createTable(inject('dynamodb'), TableName, table);
  await createTable(inject('dynamodb'), TableName, table);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' });
});

test('adds missing indexes to an existing table, for example from an earlier version', async () => {
  const client = new DynamoDBClient({ endpoint: inject('dynamodb') });
  const TableName = `test-${randomUUID()}`;
  const table = sampleTable(TableName);
  await createTable(inject('dynamodb'), TableName, table);
  const index = { IndexName: 'by_colour', KeySchema: [{ AttributeName: 'colour', KeyType: 'HASH' as const }] };
  const indexed: TableDefinition = {
    ...table,
    schema: {
      ...table.schema,
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'colour', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexes: [{ ...index, Projection: { ProjectionType: 'ALL' } }],
    },
  };
  for (const definition of [indexed, indexed, table]) await createTable(inject('dynamodb'), TableName, definition);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table?.GlobalSecondaryIndexes).toEqual([expect.objectContaining(index)]);
});

test('enables a missing stream of an existing table', async () => {
  const client = new DynamoDBClient({ endpoint: inject('dynamodb') });
  const TableName = `test-${randomUUID()}`;
  const table = sampleTable(TableName);
  const streamed: TableDefinition = { ...table, stream: 'NEW_AND_OLD_IMAGES' };
  for (const definition of [table, streamed, streamed]) await createTable(inject('dynamodb'), TableName, definition);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
});
