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

test('creates the stream in the template', async () => {
  const { table, create, described } = open();
  const StreamViewType = 'NEW_AND_OLD_IMAGES';
  await create({ ...table, stream: StreamViewType });
  expect((await described())?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType });
});
