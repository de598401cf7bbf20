import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { expect, inject, it, onTestFinished, test } from 'vitest';
import { callsOf, refusalOf } from '../../../local/functions/role.ts';
import { startRoleProxy } from '../../../local/functions/roleProxy.ts';
import type { FunctionDefinition, KeyCondition, TableStatement } from '../../../local/template/readFunctions.ts';

const reading: TableStatement = { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: 'table' };
const matching = (operator: KeyCondition, pattern: string) => ({
  Condition: { [operator]: { 'dynamodb:LeadingKeys': [pattern] } },
});
const allows: TableStatement = { ...reading, ...matching('ForAllValues:StringLike', 'A#*') };
const denies: TableStatement = { ...reading, Effect: 'Deny', ...matching('ForAnyValue:StringLike', 'A#*#*') };
const role = (...tableStatements: TableStatement[]) =>
  ({ id: 'work', tableStatements }) as unknown as FunctionDefinition;

const call = { action: 'dynamodb:GetItem', resource: 'table', keys: ['A#1'] };
test.each([
  ['a key that the pattern matches', {}, undefined],
  ['no keys', { keys: [] }, undefined],
  ['another action', { action: 'dynamodb:PutItem' }, 'because no identity-based policy allows the dynamodb:PutItem'],
  ['another table', { resource: 'other' }, 'because no identity-based policy allows'],
  ['an index', { resource: 'table/index/names' }, 'because no identity-based policy allows'],
  ['one of two keys outside the pattern', { keys: ['A#1', 'B#1'] }, 'because no identity-based policy allows'],
  ['one of two keys that is denied', { keys: ['A#1', 'A#1#2'] }, 'with an explicit deny in an identity-based policy'],
])('a role decides on %s', (_, changed, reason) => {
  const refusal = refusalOf(role(allows, denies), { ...call, ...changed });
  expect(refusal).toEqual(reason === undefined ? undefined : expect.stringContaining(reason));
});

const Key = { pk: { S: 'A' }, sk: { S: '1' } };
test.each([
  ['PutItem', { TableName: 't', Item: { ...Key, name: { S: 'x' } } }, [['PutItem', 't', 'A']]],
  ['Scan', { TableName: 't' }, [['Scan', 't']]],
  [
    'Query',
    {
      TableName: 't',
      IndexName: 'i',
      KeyConditionExpression: '#0 = :1 AND begins_with(#2, :3)',
      ExpressionAttributeValues: { ':1': { S: 'A' }, ':3': { S: 'B' } },
    },
    [['Query', 't/index/i', 'A']],
  ],
  ['BatchGetItem', { RequestItems: { t: { Keys: [Key, Key] } } }, [['BatchGetItem', 't', 'A', 'A']]],
  [
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName: 't', Item: Key } },
        { ConditionCheck: { TableName: 't', Key: { pk: { S: 'B' } } } },
      ],
    },
    [
      ['PutItem', 't', 'A', 'B'],
      ['ConditionCheckItem', 't', 'A', 'B'],
    ],
  ],
  ['TransactGetItems', { TransactItems: [{ Get: { TableName: 't', Key } }] }, [['GetItem', 't', 'A']]],
])('%s needs the rights that it needs on AWS', (operation, body, expected) => {
  const calls = callsOf(operation, body as never, 'pk');
  expect(calls.map(({ action, resource, keys }) => [action.replace('dynamodb:', ''), resource, ...keys])).toEqual(
    expected,
  );
});

it('a request that its role does not allow, or that no function sent, is refused as on AWS', async () => {
  const proxy = await startRoleProxy(inject('dynamodb'), [role(allows)]);
  onTestFinished(proxy.close);
  const scanAs = (accessKeyId: string) => {
    const client = new DynamoDBClient({
      endpoint: proxy.url,
      credentials: { accessKeyId, secretAccessKey: 's' },
      maxAttempts: 1,
    });
    onTestFinished(() => client.destroy());
    return client.send(new ScanCommand({ TableName: 'table' }));
  };
  const message = expect.stringContaining('work is not authorized to perform: dynamodb:Scan on resource: table');
  const refusal = { name: 'AccessDeniedException', message, $metadata: { httpStatusCode: 400 } };
  await expect(scanAs('work')).rejects.toMatchObject(refusal);
  await expect(scanAs('other')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});
