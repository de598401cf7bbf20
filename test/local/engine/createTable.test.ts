import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, inject, test } from 'vitest';
import { createTable } from '../../../local/engine/createTable.ts';
import { readDeployment, type TableDefinition } from '../../../local/template/readDeployment.ts';
import { sampleResources, sampleTemplate } from '../template/sampleTemplate.ts';

const client = new DynamoDBClient({ endpoint: inject('dynamodb') });

/** A name that no table has, and the sample table of that name. */
function open() {
  const TableName = `test-${randomUUID()}`;
  const table = readDeployment(sampleTemplate(sampleResources), TableName).tables.get(TableName) as TableDefinition;
  const create = async (...definitions: TableDefinition[]) => {
    for (const definition of definitions) await createTable(inject('dynamodb'), TableName, definition);
  };
  const described = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table;
  return { TableName, table, create, described };
}

test('creates the table in the template, and does not touch an existing one', async () => {
  const { TableName, table, create, described } = open();
  await create(table, table);
  expect(await described()).toMatchObject({
    TableStatus: 'ACTIVE',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' });
});

test('adds missing indexes to an existing table, for example from an earlier version', async () => {
  const { table, create, described } = open();
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
  await create(table, indexed, indexed, table);
  expect((await described())?.GlobalSecondaryIndexes).toEqual([expect.objectContaining(index)]);
});

test('enables a missing stream of an existing table', async () => {
  const { table, create, described } = open();
  const streamed: TableDefinition = { ...table, stream: 'NEW_AND_OLD_IMAGES' };
  await create(table, streamed, streamed);
  expect((await described())?.StreamSpecification).toEqual({
    StreamEnabled: true,
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
});
