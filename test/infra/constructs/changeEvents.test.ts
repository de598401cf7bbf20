import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import { changeParts } from '../../../lib/changes/changeRecord.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { type Json, propertiesOf, templateOf, theOnly } from '../templateOf.ts';

const { eventBus, tableKey } = optionalSettings;
const template = templateOf('prod', optionalSettings);
const pipe = theOnly(template, 'AWS::Pipes::Pipe');
const stream = { 'Fn::GetAtt': ['changes', 'StreamArn'] };

/** What the table of changes holds once two writes have been recorded. */
const written = Object.values(
  changeParts(
    'acme',
    { last: 41 },
    [1, 2].map((revision) => ({
      ...{
        account: 'acme',
        sequence: String(revision),
        streamedAt: 0,
        item: 7,
        kind: 'updated',
        revision,
        updatedAt: 0,
      },
      ...{ updatedBy: 'ann', fields: [{ field: 'description', from: null, to: 'a secret' }] },
    })) as unknown as Parameters<typeof changeParts>[2],
    { now: 1_000, days: 1 },
  ),
).flatMap(({ Put }) => (Put?.Item === undefined ? [] : [marshall(Put.Item)]));

/** The kinds of patterns that the pipe uses, as EventBridge matches them. */
function matches(pattern: Json, value: Json): boolean {
  if (!Array.isArray(pattern)) return Object.entries(pattern).every(([name, of]) => matches(of, value?.[name]));
  return pattern.some((one) => {
    if (typeof one === 'string') return one === value;
    return value !== undefined && (one.exists === true || !value.startsWith(one['anything-but'].prefix));
  });
}

const eventsOf = (images: readonly Json[], eventName = 'INSERT') => {
  const pattern = JSON.parse(pipe.SourceParameters.FilterCriteria.Filters[0].Pattern);
  const records = images.map((NewImage) => ({ eventName, dynamodb: { Keys: { sk: NewImage.sk }, NewImage } }));
  const valueAt = (record: Json, path: string) => path.split('.').reduce((of, name) => of[name], record);
  return records
    .filter((record) => matches(pattern, record))
    .map((record) =>
      JSON.parse(
        pipe.TargetParameters.InputTemplate.replaceAll(/<\$\.([\w.]+)>/g, (_: string, path: string) =>
          valueAt(record, path),
        ),
      ),
    );
};

it('each recorded change is one event, which has no values', () => {
  const event = { account: 'acme', item: '7', kind: 'updated' };
  expect(eventsOf(written)).toEqual([
    { ...event, number: '42', revision: '1' },
    { ...event, number: '43', revision: '2' },
  ]);
  const { EventBridgeEventBusParameters } = pipe.TargetParameters;
  expect(EventBridgeEventBusParameters).toEqual({ Source: 'catalog', DetailType: 'Item changed' });
});

it('a counter, a change that expires and one from before changes had an account are none', () => {
  const counter = marshall({ pk: 'ACCOUNT#acme#CHANGES', sk: 'COUNTER', last: 1 });
  const earlier = written.map(({ account: _, ...image }: Json) => image);
  expect([...eventsOf([counter, ...earlier]), ...eventsOf(written, 'REMOVE')]).toEqual([]);
});

it('the pipe reads the changes’ stream from its beginning, and may do nothing but send what it reads', () => {
  expect(theOnly(template, 'changes').StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
  expect([pipe.Source, pipe.Target]).toEqual([stream, eventBus]);
  expect(pipe.SourceParameters.DynamoDBStreamParameters.StartingPosition).toBe('TRIM_HORIZON');
  const [role] = pipe.RoleArn['Fn::GetAtt'];
  const { PolicyDocument } = propertiesOf(template, 'AWS::IAM::Policy').find(({ Roles }) => Roles[0].Ref === role);
  expect(PolicyDocument.Statement.map(({ Action, Resource }: Json) => [[Action].flat(), Resource])).toEqual([
    [['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((name) => `dynamodb:${name}`), stream],
    [['events:PutEvents'], eventBus],
    [expect.arrayContaining(['kms:Decrypt']), tableKey],
  ]);
});
