import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import type { CatalogStack } from '../../../infra/catalogStack.ts';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { environmentNames, settingsOf } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

describe.each(environmentNames)('the table of %s', (environment) => {
  const template = templateOf(environment);
  const table = theOnly(template, 'table');

  it('has the key attributes and the time-to-live attribute of the records', () => {
    expect(table.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
  });

  it('has an index of items by name, which projects only the fields that lists are filtered by', () => {
    expect(table.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'by_name',
        KeySchema: [
          { AttributeName: 'list_pk', KeyType: 'HASH' },
          { AttributeName: 'list_sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['active', 'category', 'type'] },
        ContributorInsightsSpecification: table.ContributorInsightsSpecification,
      },
    ]);
  });

  it('is on demand, encrypted, and has point-in-time recovery', () => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });
});

/** The alias of the function that records changes. */
const aliasOf = (template: ReturnType<typeof templateOf>) =>
  resourcesOf(template, 'AWS::Lambda::Alias').find(
    ([, { Properties }]) => Properties.FunctionName.Ref === 'recordChanges',
  )?.[0];

describe.each(environmentNames)('the table of changes of %s', (environment) => {
  const template = templateOf(environment);
  const [table, changes] = [theOnly(template, 'table'), theOnly(template, 'changes')];

  it('is named after the table, and has the same keys, expiry, encryption and protection, but no recovery', () => {
    const { PointInTimeRecoverySpecification, StreamSpecification, GlobalSecondaryIndexes, ...shared } = table;
    const { ContributorInsightsSpecification, AttributeDefinitions, ...expected } = shared;
    const TableName = { 'Fn::Join': ['', [{ Ref: 'table' }, '-changes']] };
    expect(changes).toEqual({ ...expected, AttributeDefinitions: AttributeDefinitions.slice(0, 2), TableName });
  });

  it('is written from the stream with both images, in which only items are read', () => {
    expect(table.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(theOnly(template, 'AWS::Lambda::EventSourceMapping')).toMatchObject({
      FunctionName: { Ref: settingsOf(environment).gradualDeployment ? aliasOf(template) : 'recordChanges' },
      EventSourceArn: { 'Fn::GetAtt': ['table', 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"ITEM#"}]}}}}' }] },
      // What fails holds its place until it succeeds, or the stream no longer has it.
      BisectBatchOnFunctionError: false,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: -1,
    });
    expect(theOnly(template, 'recordChanges').Environment.Variables).toMatchObject({
      CATALOG_CHANGE_DAYS: String(settingsOf(environment).changeDays),
    });
  });
});

describe('prod cannot lose its table', () => {
  const template = templateOf('prod');

  it('when it is deleted or replaced, or the stack is deleted', () => {
    const [[, table] = [], [, changes] = []] = resourcesOf(template, 'AWS::DynamoDB::Table');
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    expect(changes).toMatchObject({ ...kept, Properties: { DeletionProtectionEnabled: true } });
    expect(table).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { RecoveryPeriodInDays: 35 },
      },
    });
  });

  it('but a first deployment that fails leaves none, so that it can be repeated', () => {
    const template = templateOf('prod', optionalSettings);
    const kept = resourcesOf(template).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');
    // This role is one for the whole AWS account.
    expect(kept.map(([, { Type }]) => Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
  });

  it('because its stack is protected from deletion', () => {
    const stack = createApp({ bundling: false, environment: 'prod' }).node.findChild('catalog-prod') as CatalogStack;
    expect(stack.terminationProtection).toBe(true);
  });

  it('or its logs', () => {
    const policies = resourcesOf(template, 'AWS::Logs::LogGroup').map(([, logs]) => logs.DeletionPolicy);
    expect(policies.length).toBeGreaterThan(functionNames.length);
    expect(new Set(policies)).toEqual(new Set(['RetainExceptOnCreate']));
  });
});

describe('a KMS key in the settings', () => {
  const tableKey = 'arn:aws:kms:eu-central-1:111122223333:key/1a2b';
  const own = templateWith({ tableKey });

  it('encrypts the table, which is not replaced', () => {
    const { SSESpecification, ...rest } = theOnly(own, 'table');
    expect(SSESpecification).toEqual({ KMSMasterKeyId: tableKey, SSEEnabled: true, SSEType: 'KMS' });
    const { SSESpecification: _, ...before } = theOnly(templateWith({}), 'table');
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

describe('dev', () => {
  it('can be deleted without leftovers, except for the role for access logs', () => {
    const kept = resourcesOf(templateOf('dev')).filter(([, resource]) => resource.DeletionPolicy?.startsWith('Retain'));
    expect(kept.map(([, resource]) => resource.Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
    expect(theOnly(templateOf('dev'), 'table').DeletionProtectionEnabled).toBe(false);
  });
});
