import { describe, expect, it } from 'vitest';
import { replacedTables, type StackTemplate } from '../../../../infra/tools/changes/replacedTables.ts';
import { templateOf, templateWith } from '../../templateOf.ts';

const before: StackTemplate = templateOf('prod').toJSON() as StackTemplate;
const { table, ...others } = before.Resources;
if (table === undefined) throw new Error('The stack has no table');

/** The template with other properties of the table. */
const withTable = (properties: object): StackTemplate => ({
  Resources: { ...before.Resources, table: { ...table, Properties: { ...table.Properties, ...properties } } },
});

describe('a table', () => {
  it('stays in place if settings change or it gets an index', () => {
    expect(replacedTables(before, before)).toEqual([]);
    expect(
      replacedTables(before, templateWith({ recoveryDays: 3, keepsData: true }).toJSON() as StackTemplate),
    ).toEqual([]);
    const attributes = table.Properties?.['AttributeDefinitions'] as object[];
    const indexed = { AttributeDefinitions: [...attributes, { AttributeName: 'a', AttributeType: 'S' }] };
    expect(replacedTables(before, withTable({ ...indexed, GlobalSecondaryIndexes: [{ IndexName: 'a' }] }))).toEqual([]);
  });

  it.each<[string, StackTemplate, string]>([
    [
      'its logical id',
      { Resources: { ...others, other: table } },
      'is no longer in the template under this logical id',
    ],
    [
      'its type',
      { Resources: { ...others, table: { ...table, Type: 'AWS::SNS::Topic' } } },
      'becomes an AWS::SNS::Topic',
    ],
    ['its key', withTable({ KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }), 'has another KeySchema'],
    ['its name', withTable({ TableName: 'catalog' }), 'has another TableName'],
    ['a local index', withTable({ LocalSecondaryIndexes: [{}] }), 'has another LocalSecondaryIndexes'],
    [
      'the type of its key',
      withTable({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'N' }] }),
      'has a key of another type',
    ],
  ])('is replaced or removed by a change of %s', (_, after, reason) => {
    expect(replacedTables(before, after)).toEqual([`the table "table" ${reason}`]);
  });
});
