import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import type { CatalogStack } from '../../../infra/catalogStack.ts';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { environmentNames, settingsOf } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { functionOf, propertiesOf, resourcesOf, templateOf, theOnly } from '../templateOf.ts';

const key = (partition: string, sort: string) => [
  { AttributeName: partition, KeyType: 'HASH' },
  { AttributeName: sort, KeyType: 'RANGE' },
];

describe.each(environmentNames)('the tables of %s', (environment) => {
  const template = templateOf(environment);
  const { recoveryDays, contributorInsights, keepsData } = settingsOf(environment);
  const ContributorInsightsSpecification = { Enabled: contributorInsights, Mode: 'THROTTLED_KEYS' };
  /** What both tables have. */
  const shared = {
    KeySchema: key('pk', 'sk'),
    TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    BillingMode: 'PAY_PER_REQUEST',
    SSESpecification: { SSEEnabled: true },
    DeletionProtectionEnabled: keepsData,
    Tags: expect.anything(),
  };

  it('have the records’ keys and expiry, recovery, and an index by name with the filters of lists', () => {
    const { AttributeDefinitions, ...table } = theOnly(template, 'table');
    expect(table).toEqual({
      ...shared,
      ContributorInsightsSpecification,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: recoveryDays },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by_name',
          KeySchema: key('list_pk', 'list_sk'),
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['active', 'category', 'type'] },
          ContributorInsightsSpecification,
        },
      ],
    });
  });

  it('are one more for changes, which is named after it and has no recovery', () => {
    const { AttributeDefinitions, ...changes } = theOnly(template, 'changes');
    expect(changes).toEqual({ ...shared, TableName: { 'Fn::Join': ['', [{ Ref: 'table' }, '-changes']] } });
  });
});

it('changes are recorded from the stream, in which only items are read', () => {
  const template = templateOf('prod');
  const { FunctionName, Tags: _, ...mapping } = theOnly(template, 'AWS::Lambda::EventSourceMapping');
  expect(functionOf(template, FunctionName)).toBe('recordChanges');
  expect(mapping).toEqual({
    EventSourceArn: { 'Fn::GetAtt': ['table', 'StreamArn'] },
    StartingPosition: 'TRIM_HORIZON',
    FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"ITEM#"}]}}}}' }] },
    // What fails holds its place until it succeeds, or the stream no longer has it.
    BisectBatchOnFunctionError: false,
    MaximumRetryAttempts: -1,
    MaximumRecordAgeInSeconds: -1,
  });
});

describe('prod cannot lose its tables', () => {
  const whole = templateOf('prod', optionalSettings);

  const retained = ['AWS::DynamoDB::Table', 'AWS::Logs::LogGroup', 'AWS::Backup::BackupVault'];
  it.each(retained)('when %s is deleted or replaced, or the stack is deleted', (type) => {
    const found = resourcesOf(whole, type);
    expect(found).not.toEqual([]);
    for (const [, kept] of found)
      expect(kept).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('but a first deployment that fails leaves none, so that it can be repeated', () => {
    const kept = resourcesOf(whole).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
    // This role is one for the whole AWS account.
    expect(kept.map(([, { Type }]) => Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
  });

  it('because its stack is protected from deletion', () => {
    const stack = createApp({ bundling: false, environment: 'prod' }).node.findChild('catalog-prod') as CatalogStack;
    expect(stack.terminationProtection).toBe(true);
  });
});

it('dev can be deleted without leftovers, except for the role for access logs', () => {
  const kept = resourcesOf(templateOf('dev')).filter(([, resource]) => resource.DeletionPolicy?.startsWith('Retain'));
  expect(kept.map(([, resource]) => resource.Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
});

describe('a KMS key in the settings', () => {
  const { tableKey } = optionalSettings;
  const own = templateOf('dev', { tableKey });

  it('encrypts the table, which is not replaced', () => {
    const { SSESpecification, ...rest } = theOnly(own, 'table');
    expect(SSESpecification).toEqual({ KMSMasterKeyId: tableKey, SSEEnabled: true, SSEType: 'KMS' });
    const { SSESpecification: _, ...before } = theOnly(templateOf('dev'), 'table');
    expect(rest).toEqual(before);
  });

  it('can be used by every function, through DynamoDB only', () => {
    const statements = propertiesOf(own, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const ofKey = statements.filter(({ Resource }) => Resource === tableKey);
    expect(ofKey).toHaveLength(functionNames.length + 2);
    for (const { Condition } of ofKey)
      expect(Condition).toEqual({ StringEquals: { 'kms:ViaService': 'dynamodb.eu-central-1.amazonaws.com' } });
  });
});
