import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import type { CatalogStack } from '../../../infra/catalogStack.ts';
import { functionNames } from '../../../infra/constructs/functionAccess.ts';
import { environmentNames } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

describe.each(environmentNames)('the table of changes of %s', (environment) => {
  const template = templateOf(environment);
  const [table, changes] = [theOnly(template, 'table'), theOnly(template, 'changes')];

  it('is named after the table, and has the same keys, expiry, encryption and protection, but no recovery', () => {
    const { PointInTimeRecoverySpecification, StreamSpecification, GlobalSecondaryIndexes, ...shared } = table;
    const { ContributorInsightsSpecification, AttributeDefinitions, ...expected } = shared;
    const TableName = { 'Fn::Join': ['', [{ Ref: 'table' }, '-changes']] };
    expect(changes).toEqual({ ...expected, AttributeDefinitions: AttributeDefinitions.slice(0, 2), TableName });
  });
});

describe('prod cannot lose its table', () => {
  const template = templateOf('prod');

  it('when it is deleted or replaced, or the stack is deleted', () => {
    const tables = resourcesOf(template, 'AWS::DynamoDB::Table');
    expect(tables).toHaveLength(2);
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' };
    for (const [, table] of tables)
      expect(table).toMatchObject({ ...kept, Properties: { DeletionProtectionEnabled: true } });
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
