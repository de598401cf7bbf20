import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { propertiesOf, resourcesOf, templateOf, theOnly } from '../templateOf.ts';

const template = templateOf('prod');
/** Without those that only a deployment asks. */
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(
  ({ AlarmActions }) => AlarmActions !== undefined,
);
const [[topic] = ['']] = resourcesOf(template, 'AWS::SNS::Topic');

/** The metrics that an alarm watches, each as namespace, name, dimensions' values and statistic. */
const watchedBy = ({ Metrics }: (typeof alarms)[number]): string[] =>
  Metrics.flatMap(({ MetricStat }: (typeof alarms)[number]) => {
    if (MetricStat === undefined) return [];
    const { Namespace, MetricName, Dimensions } = MetricStat.Metric;
    const values = Dimensions.map(({ Value }: { Value: string | { Ref: string } }) =>
      typeof Value === 'string' ? Value : Value.Ref,
    );
    return [[Namespace, MetricName, ...values, MetricStat.Stat].join(' ')];
  });

describe('the alarms', () => {
  it('watch server errors, latency, throttles, writes that got 503, the authorizer and the table', () => {
    expect(alarms.map(watchedBy)).toEqual([
      ['AWS/ApiGateway 5XXError catalog-prod Average'],
      ['AWS/ApiGateway Latency catalog-prod p99'],
      ['createItem', 'updateItem', 'authorizer'].map((id) => `AWS/Lambda Throttles ${id} Sum`),
      ['createItem', 'updateItem'].map((id) => `Catalog Unavailable ${id} table Sum`),
      ['Catalog AuthorizerFailed authorizer table Sum'],
      ['Read', 'Write'].map((kind) => `AWS/DynamoDB ${kind}ThrottleEvents table Sum`),
    ]);
  });

  it.each(alarms.map(({ AlarmDescription }) => AlarmDescription))('says who is hurt and what to do: %s', (text) => {
    expect(text).toMatch(/^[^.:]*(callers|people)[^.:]*: [^.]+\.$/i);
  });

  it.each(alarms)('notifies the topic when it goes off and when it is over', ({ AlarmActions, OKActions }) => {
    expect([AlarmActions, OKActions]).toEqual([[{ Ref: topic }], [{ Ref: topic }]]);
  });

  it('stay silent without requests', () => {
    for (const { TreatMissingData } of alarms) expect(TreatMissingData).toBe('notBreaching');
  });
});

describe('the topic', () => {
  it('sends email to the address in the settings', () => {
    expect(theOnly(template, 'AWS::SNS::Subscription')).toMatchObject({
      Protocol: 'email',
      Endpoint: settingsOf('prod').alarmEmail,
    });
  });

  it("lets only this account's alarms publish, and requires TLS", () => {
    expect(theOnly(template, 'AWS::SNS::TopicPolicy').PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      {
        Sid: 'AlarmsMayPublish',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topic },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
  });
});

it('the dashboard shows the metrics of all alarms, and refusals by error code', () => {
  const body = JSON.stringify(theOnly(template, 'AWS::CloudWatch::Dashboard').DashboardBody);
  expect(body).toContain('{Catalog,table,operation,code} MetricName');
  const names = alarms.flatMap(watchedBy).map((watched) => watched.split(' ')[1]);
  for (const name of names) expect(body).toContain(name);
});
