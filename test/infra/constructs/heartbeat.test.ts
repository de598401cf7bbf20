import { describe, expect, it } from 'vitest';
import { anonymousChecks } from '../../../admin/smoke/checks.ts';
import { heartbeatTimeout } from '../../../admin/smoke/heartbeatHandler.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { synthesise } from '../../../local/template/synthesise.ts';
import { propertiesOf, resourcesOf, statementsOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const template = templateOf('prod', { verification: false });
const [id = '', heartbeat] =
  resourcesOf(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith('heartbeat')) ?? [];
const variables = heartbeat?.Properties.Environment.Variables;

describe('the heartbeat', () => {
  it('runs once in every minute, and is not retried when it fails', () => {
    const { ScheduleExpression, Targets } = theOnly(template, 'AWS::Events::Rule');
    expect(ScheduleExpression).toBe('cron(* * * * ? *)');
    expect(Targets).toEqual([
      expect.objectContaining({ Arn: { 'Fn::GetAtt': [id, 'Arn'] }, RetryPolicy: { MaximumRetryAttempts: 0 } }),
    ]);
  });

  it("calls the API's public address, which is the custom domain if there is one", () => {
    expect(variables.CATALOG_URL).toEqual(template.toJSON()['Outputs'].ApiUrl.Value);
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = templateWith({ heartbeat: true, customDomain: { name: 'api.example.com', certificate } });
    const urls = propertiesOf(own, 'AWS::Lambda::Function').map(({ Environment }) => Environment.Variables.CATALOG_URL);
    expect(urls).toContain('https://api.example.com/');
  });

  it('knows the origins whose pages may call the API', () => {
    expect(variables.CATALOG_CORS_ORIGINS).toBe(settingsOf('prod').corsOrigins.join());
  });

  it('is deployed after the API whose responses it expects, also at a custom domain, whose address is no reference', () => {
    const certificate = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
    const own = templateWith({ heartbeat: true, customDomain: { name: 'api.example.com', certificate } });
    const functions = own.findResources('AWS::Lambda::Function');
    const [stage = ''] = Object.keys(own.findResources('AWS::ApiGateway::Stage'));
    expect(functions[id]?.['DependsOn']).toContain(stage);
  });

  it('can read its token, if the settings name a parameter, and cannot reach the table', () => {
    const statements = statementsOf(template, heartbeat?.Properties.Role['Fn::GetAtt'][0]);
    const [, { Resource }] = statements;
    expect(statements.map(({ Action }) => Action)).toEqual([
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      'ssm:GetParameter',
    ]);
    expect(JSON.stringify(Resource)).toContain(`:parameter${variables.CATALOG_HEARTBEAT_TOKEN}"`);
    expect(variables.CATALOG_HEARTBEAT_TOKEN).toBe('/catalog/prod/heartbeat-token');
    expect(JSON.stringify(templateWith({ heartbeat: true }))).not.toContain('ssm:GetParameter');
  });

  it('pages when it fails, and also when it reports nothing', () => {
    const alarm = propertiesOf(template, 'AWS::CloudWatch::Alarm').find((properties) =>
      JSON.stringify(properties).includes('HeartbeatFailures'),
    );
    expect(alarm).toMatchObject({ Threshold: 0, TreatMissingData: 'breaching', DatapointsToAlarm: 5 });
    // CloudWatch alone would only count a period as missing once it has no data for all of them.
    expect(alarm.Metrics[0].Expression).toBe('FILL(reported, 1)');
    expect(alarm.Metrics[1].MetricStat).toMatchObject({ Stat: 'Minimum', Period: 60 });
  });

  it('reports an API that hangs before its own time runs out', () => {
    expect(heartbeat?.Properties.Timeout * 1000).toBeGreaterThan(anonymousChecks().length * heartbeatTimeout + 5_000);
  });

  it('is omitted if the settings say so, and in the local service, where it would call the deployed API', () => {
    expect(propertiesOf(templateOf('dev'), 'AWS::Events::Rule')).toEqual([]);
    const { template: local, remove } = synthesise(false, { heartbeat: true });
    remove();
    expect(JSON.stringify(local)).not.toContain('AWS::Events::Rule');
  });
});
