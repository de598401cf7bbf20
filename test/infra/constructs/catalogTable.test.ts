import { describe, expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
import type { CatalogStack } from '../../../infra/catalogStack.ts';
import { environmentNames } from '../../../infra/environments.ts';
import { resourcesOf, templateOf, theOnly } from '../templateOf.ts';

describe.each(environmentNames)('the table of %s', (environment) => {
  const template = templateOf(environment);
  const table = theOnly(template, 'table');

  it('has the keys and the expiry that the store writes', () => {
    expect(table.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: 'expires_at', Enabled: true });
  });

  it('is on demand, encrypted, and can be restored to any second', () => {
    expect(table).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('has a logical id that moving the code does not change', () => {
    expect(resourcesOf(template, 'AWS::DynamoDB::Table').map(([id]) => id)).toEqual(['table']);
  });
});

describe('prod cannot lose its table', () => {
  const template = templateOf('prod');

  it('to a deletion, a replacement, or a stack that goes', () => {
    const [, table] = resourcesOf(template, 'AWS::DynamoDB::Table')[0] ?? [];
    expect(table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { RecoveryPeriodInDays: 35 },
      },
    });
  });

  it('and its stack cannot be deleted either', () => {
    const stack = createApp({ bundling: false, environment: 'prod' }).node.findChild('catalog-prod') as CatalogStack;
    expect(stack.terminationProtection).toBe(true);
  });

  it('and keeps its logs', () => {
    const policies = resourcesOf(template, 'AWS::Logs::LogGroup').map(([, logs]) => logs.DeletionPolicy);
    expect(policies).toEqual(['Retain', 'Retain', 'Retain', 'Retain']);
  });
});

describe('dev', () => {
  it('can be thrown away whole', () => {
    const kept = resourcesOf(templateOf('dev')).filter(([, resource]) => resource.DeletionPolicy === 'Retain');
    expect(kept.map(([, resource]) => resource.Type).sort()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
    expect(theOnly(templateOf('dev'), 'table').DeletionProtectionEnabled).toBe(false);
  });
});
