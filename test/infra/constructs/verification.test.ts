import { describe, expect, it } from 'vitest';
import { synthesise } from '../../../local/template/synthesise.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { propertiesOf, resourcesOf, statementsOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const template = templateWith({ verification: true, tableKey: optionalSettings.tableKey });
const [id = '', verification] =
  resourcesOf(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith('verification')) ?? [];

describe('the verification', () => {
  it('runs every day for up to 15 minutes, and is not retried when it fails', () => {
    const { ScheduleExpression, Targets } = theOnly(template, 'AWS::Events::Rule');
    expect(ScheduleExpression).toBe('cron(0 4 * * ? *)');
    expect(Targets).toEqual([
      expect.objectContaining({ Arn: { 'Fn::GetAtt': [id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }),
    ]);
    expect(verification?.Properties.Timeout).toBe(15 * 60);
    expect(verification?.Properties.Environment.Variables.CATALOG_TABLE).toEqual({ Ref: 'table' });
  });

  it('can read the table and use its key, and can write nothing but its log', () => {
    const statements = statementsOf(template, verification?.Properties.Role['Fn::GetAtt'][0]);
    expect(statements.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      [['logs:CreateLogStream', 'logs:PutLogEvents'], expect.anything()],
      [
        ['dynamodb:DescribeTable', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan'],
        { 'Fn::GetAtt': ['table', 'Arn'] },
      ],
      [expect.arrayContaining(['kms:Decrypt']), optionalSettings.tableKey],
    ]);
  });

  it('is omitted if the settings say so, and in the local service', () => {
    expect(propertiesOf(templateOf('dev'), 'AWS::Events::Rule')).toEqual([]);
    const { template: local, remove } = synthesise(false, { verification: true });
    remove();
    expect(JSON.stringify(local)).not.toContain('AWS::Events::Rule');
  });
});
