import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { heartbeatChecks } from '../../../admin/smoke/checks.ts';
import { type AlarmDefinition, alarmDefinitions } from '../../../infra/constructs/alarmDefinitions.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { root } from '../../support/programs/program.ts';
import { type Json, propertiesOf, resourcesOf, templateOf, theOnly, typesOf } from '../templateOf.ts';

/** A template with everything that alarms can watch. */
const template = templateOf('prod', optionalSettings);
const all = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => ({ id, ...Properties }));
/** Without the alarms that only deployments check. */
const alarms = all.filter(({ AlarmActions }) => AlarmActions);
const idOf = (name: string, of = template) =>
  resourcesOf(of, 'AWS::CloudWatch::Alarm').find(([id]) => id.startsWith(`alarms${name}`))?.[0];
const topicOf = (kind: string) =>
  resourcesOf(template, 'AWS::SNS::Topic').find(([id]) => id.startsWith(kind))?.[0] ?? '';
const [tickets, pages] = [topicOf('alarmstickets'), topicOf('alarmspages')];
const composite = theOnly(template, 'AWS::CloudWatch::CompositeAlarm');

const incidents = readFileSync(join(root, 'docs/incidents.md'), 'utf8');
const sections = [...incidents.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .replaceAll(' ', '-'),
);

/** A text that is also a logical id is not the resource's name. */
const textOf = (value: string | { Ref: string } | { 'Fn::GetAtt': [string] }): string => {
  if (typeof value !== 'string') return 'Ref' in value ? value.Ref : value['Fn::GetAtt'][0];
  return value === 'table' ? 'the text "table"' : value;
};

/** The metrics that an alarm watches, each as its namespace, name, dimension values and statistic. */
function watchedBy(alarm: Json): string[] {
  const single = { Metric: alarm, Stat: alarm.Statistic ?? alarm.ExtendedStatistic };
  const several = alarm.Metrics?.flatMap(({ MetricStat }: Json) => MetricStat ?? []);
  return (several ?? [single]).map(({ Metric, Stat }: Json) => {
    const { Namespace, MetricName, Dimensions = [] } = Metric;
    return [Namespace, MetricName, ...Dimensions.map(({ Value }: Json) => textOf(Value)), Stat].join(' ');
  });
}

/** When an alarm goes off: beyond which threshold, in how many of which periods, and what one without data counts as. */
function conditionOf({ Metrics, Period, ...alarm }: Json): string {
  expect(alarm.ComparisonOperator).toBe('GreaterThanThreshold');
  const seconds = Period ?? Metrics.find(({ MetricStat }: Json) => MetricStat).MetricStat.Period;
  const { Threshold, DatapointsToAlarm, EvaluationPeriods, TreatMissingData } = alarm;
  const missing = { notBreaching: '', breaching: ' or missing', ignore: ' or as before' }[TreatMissingData as string];
  return `above ${Threshold}${missing} in ${DatapointsToAlarm} of ${EvaluationPeriods} x ${seconds / 60} min`;
}

describe('the alarms', () => {
  const requests = 'AWS/ApiGateway Count catalog-prod Sum';
  const unauthorized = 'Catalog/catalog-prod Unauthorized Sum';
  const failed = 'AWS/ApiGateway 5XXError catalog-prod';
  const latency = 'AWS/ApiGateway Latency catalog-prod';
  const firewall = (outcome: string, rule: string) =>
    `AWS/WAFV2 ${outcome}Requests eu-central-1 ${rule} catalog-prod Sum`;
  const pipe = (metric: string) => `AWS/EventBridge/Pipes ${metric} catalog-prod Sum`;

  it('go off for what callers notice and what retries hide, and without requests only for what is regular', () => {
    const found = all.map((alarm) => [alarm.id.slice(0, -8), [conditionOf(alarm), ...watchedBy(alarm)]]);
    expect(Object.fromEntries(found)).toEqual({
      // A rare failure keeps the alarm on for three hours, and notifies a few times a day.
      alarmsserverErrors: ['above 4 in 4 of 60 x 1 min', `${failed} Average`, requests],
      alarmsnoHeartbeat: ['above 0 or missing in 5 of 15 x 1 min', 'Catalog HeartbeatFailures table Minimum'],
      alarmsrefusedCallers: ['above 0.45 in 4 of 60 x 1 min', requests, unauthorized],
      alarmsrefusedUsers: [
        'above 0 or as before in 1 of 1 x 60 min',
        ...['Minimum', 'SampleCount'].map((statistic) => `Catalog RefusedUsers table ${statistic}`),
      ],
      alarmslostNotifications: [
        'above 0 in 1 of 3 x 5 min',
        ...[tickets, pages].map((topic) => `AWS/SNS NumberOfNotificationsFailed ${topic} Sum`),
      ],
      alarmsfailedRequests: ['above 0 in 1 of 3 x 60 min', `${failed} Sum`],
      alarmsfailedRows: ['above 0 in 1 of 3 x 60 min', 'Catalog FailedRows table Sum'],
      alarmsrefusedWrites: [
        'above 0.2 in 1 of 168 x 60 min',
        ...['SampleCount', 'Average'].map((statistic) => `Catalog RefusedWrites table ${statistic}`),
      ],
      alarmsslowResponses: ['above 2000 in 3 of 3 x 5 min', `${latency} p99`],
      alarmstableRetries: [
        'above 0 in 2 of 3 x 5 min',
        ...['Throttled', 'Unknown'].map((reason) => `Catalog Retries${reason} table Sum`),
      ],
      alarmsusedConcurrency: [
        'above 0.8 in 2 of 3 x 5 min',
        ...['ConcurrentExecutions', 'ClaimedAccountConcurrency', 'UnreservedConcurrentExecutions'].map(
          (metric) => `AWS/Lambda ${metric} Maximum`,
        ),
      ],
      // Not by what an account sends beyond its share.
      alarmsstageThrottles: [
        'above 0 in 2 of 3 x 5 min',
        requests,
        'Catalog/catalog-prod Throttled Sum',
        'AWS/Lambda Invocations writeItems Sum',
      ],
      alarmslostShares: ['above 0 in 1 of 3 x 5 min', 'Catalog/catalog-prod UnknownKeys Sum'],
      alarmsfirewallThrottles: [
        'above 0 in 2 of 3 x 5 min',
        ...['token', 'address'].map((rule) => firewall('Blocked', rule)),
      ],
      alarmsfirewallRefusals: [
        'above 0.05 in 2 of 3 x 5 min',
        firewall('Allowed', 'ALL'),
        ...['ALL', ...optionalSettings.firewall.managedRules].map((rule) => firewall('Blocked', rule)),
      ],
      alarmsrefusedTokens: ['above 0.2 in 2 of 3 x 5 min', requests, unauthorized],
      alarmsunreadableTokens: ['above 5 in 2 of 3 x 5 min', 'Catalog UnreadableTokens table Sum'],
      alarmsexpiringToken: ['above 0 in 1 of 3 x 60 min', 'Catalog ExpiringToken table Maximum'],
      // These two look at a whole day more, because today's may not be due yet.
      alarmsinconsistentTable: [
        'above 0 or missing in 2 of 3 x 1440 min',
        'Catalog VerificationFindings table Maximum',
      ],
      alarmsnoBackup: [
        'above 0 or missing in 2 of 3 x 1440 min',
        'AWS/Backup NumberOfCopyJobsCompleted catalog-prod-copies Sum',
      ],
      alarmsunrecordedChanges: [
        `above ${60 * 60_000} in 1 of 3 x 5 min`,
        'AWS/Lambda IteratorAge recordChanges Maximum',
      ],
      alarmslateChanges: [`above ${15 * 60_000} in 1 of 3 x 5 min`, 'AWS/Lambda IteratorAge recordChanges Maximum'],
      alarmsfailedEvents: [
        'above 0 in 1 of 3 x 5 min',
        ...['Failed', 'PartiallyFailed', 'Throttled', 'Timeout'].map((outcome) => pipe(`Execution${outcome}`)),
      ],
      alarmsstoppedEvents: ['above 0 or missing in 3 of 3 x 5 min', pipe('Invocations')],
      alarmsunreadableImages: ['above 0 in 1 of 3 x 5 min', 'Catalog UnreadableImages table Sum'],
      // Those that a deployment checks: what callers get, for many or few requests.
      deploymentserverErrors: ['above 0.01 in 1 of 3 x 1 min', `${failed} Average`],
      deploymentfailedRequests: ['above 3 in 1 of 3 x 1 min', `${failed} Sum`],
      deploymentslowResponses: ['above 2000 in 2 of 3 x 1 min', `${latency} p99`],
      deploymentslowRequests: ['above 3 in 2 of 3 x 1 min', `${latency} TC(2000:)`],
      // The percentage of batches of which more than one row failed: one damaged item cannot fail more.
      deploymentfailedRows: ['above 1 in 1 of 3 x 1 min', 'Catalog FailedRows table PR(1:)'],
    });
  });

  it.each(Object.keys(alarmDefinitions))('%s says who is affected, what to do and type first, where to look', (of) => {
    const text: string = theOnly(template, idOf(of) ?? '').AlarmDescription;
    const [who, first, dashboard, logs, page] = text.split('\n');
    expect(who).toMatch(/^[^.:]*(callers?|people|nobody)[^.:]*: [^.]+\.$/i);
    expect(first).toMatch(/^First: (npm run admin -- \w+( \w+)? --env prod|aws [a-z]+ [a-z-]+( --by-state FAILED)?)$/);
    expect(dashboard).toMatch(/^Dashboard: https:\/\/eu-central-1\..*\/catalog-prod$/);
    expect(logs).toContain('saved query catalog-prod/errors: https://eu-central-1.');
    expect(sections).toContain(page?.replace('Page: docs/incidents.md#', ''));
    // CloudWatch takes no longer ones.
    expect(text.length).toBeLessThanOrEqual(1_024);
  });

  // Arithmetic on a metric without any data, such as that of a rule that has blocked nothing, has no result.
  it('add metrics up with functions that ignore a metric without data, of fewer than CloudWatch allows', () => {
    for (const { Metrics = [] } of alarms) {
      // Lambda reports the numbers of an account together.
      for (const { Expression = '' } of Metrics.filter(({ Expression = '' }) => !Expression.includes('SERVICE_QUOTA')))
        expect(Expression).not.toMatch(/[-+] *[a-z(]|(?<!FILL\()\bblocked\b(?!,)/);
      expect(Metrics.length).toBeLessThan(10);
    }
    // CloudWatch alone would only count a minute as missing once it has no data for all of them.
    expect(theOnly(template, idOf('noHeartbeat') ?? '').Metrics[0].Expression).toBe('FILL(reported, 1)');
  });

  it.each([
    ['nothing is reserved', { quota: 10, claimed: 9, unreserved: 9 }, 0.9],
    ['most is reserved and idle', { quota: 1_394, claimed: 1_299, unreserved: 5 }, 0.05],
    ['most is reserved, and others use up the rest', { quota: 1_394, claimed: 1_384, unreserved: 90 }, 0.9],
  ])('usedConcurrency compares with what is not reserved, where %s', (_, { quota, claimed, unreserved }, share) => {
    const [{ Expression }] = theOnly(template, idOf('usedConcurrency') ?? '').Metrics;
    const found = new Function('SERVICE_QUOTA', 'all', 'claimed', 'unreserved', `return ${Expression}`);
    expect(found(() => quota, 0, claimed, unreserved)).toBe(share);
  });

  it.each(['serverErrors', 'refusedCallers'])('%s does not count what happens beside the heartbeat alone', (name) => {
    const { Metrics } = theOnly(template, idOf(name) ?? '');
    expect(Metrics[0].Expression).toMatch(/^IF\(requests > 20, .*, 0\)$/);
    expect(heartbeatChecks('token').length).toBeLessThan(20);
  });

  it.each([
    ['token of the heartbeat', { heartbeatToken: undefined }, ['noHeartbeat', 'expiringToken', 'stoppedEvents']],
    ['verification', { verification: false }, ['inconsistentTable']],
    ['identity provider', { identity: undefined }, ['refusedUsers', 'unreadableTokens']],
    ['firewall', { firewall: undefined }, ['firewallThrottles', 'firewallRefusals']],
    ['managed rules', { firewall: settingsOf('staging').firewall }, ['firewallRefusals']],
    ['event bus', { eventBus: undefined }, ['failedEvents', 'stoppedEvents']],
    ['backup', { backup: undefined }, ['noBackup']],
  ])('without the setting of the %s, nothing watches it', (_, changed, missing) => {
    const of = templateOf('prod', { ...optionalSettings, ...changed });
    const names = Object.keys(alarmDefinitions);
    expect(names.filter((name) => idOf(name, of) === undefined).sort()).toEqual(missing.toSorted());
  });

  it('notify the tickets topic when they go off and when they end', () => {
    for (const { AlarmActions, OKActions } of alarms)
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: tickets }], [{ Ref: tickets }]]);
  });

  it('page only through the composite alarm, if they are pages', () => {
    expect([composite.AlarmActions, composite.OKActions]).toEqual([[{ Ref: pages }], [{ Ref: pages }]]);
    const paging = Object.entries<AlarmDefinition>(alarmDefinitions).filter(([, { isPage }]) => isPage);
    const names = ['serverErrors', 'noHeartbeat', 'refusedCallers', 'refusedUsers', 'lostNotifications'];
    expect(paging.map(([name]) => name)).toEqual([...names, 'lostShares', 'unrecordedChanges']);
    const rule = JSON.stringify(composite.AlarmRule);
    expect(rule.match(/alarms\w+/g)).toEqual(paging.map(([name]) => idOf(name)));
    expect(composite.AlarmDescription.split('\n').slice(1)).toEqual([
      ...paging.map(([name, { impact }]) => `${name}: ${impact}.`),
      'First: npm run admin -- smoke --env prod',
      expect.stringMatching(/^Dashboard: https:.*#dashboards\/dashboard\/catalog-prod$/),
      'Page: docs/incidents.md#what-fails',
    ]);
    expect(composite.AlarmDescription.length).toBeLessThanOrEqual(1_024);
  });
});

it('nobody is paged without a recipient of pages, and then a page is only a ticket', () => {
  const own = templateOf('dev', { alarms: { tickets: 'ops@acme.test' } });
  expect(typesOf(own, 'AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  expect(propertiesOf(own, 'AWS::SNS::Subscription')).toHaveLength(1);
  expect(watchedBy(theOnly(own, idOf('lostNotifications', own) ?? ''))).toHaveLength(1);
});

describe('the topics', () => {
  it('send email to the addresses in the settings', () => {
    const sent = propertiesOf(template, 'AWS::SNS::Subscription');
    const { alarms: recipients } = settingsOf('prod');
    expect(sent).toEqual([
      { Protocol: 'email', Endpoint: recipients?.tickets, TopicArn: { Ref: tickets } },
      { Protocol: 'email', Endpoint: recipients?.pages, TopicArn: { Ref: pages } },
    ]);
  });

  it.each([tickets, pages])("let only this account's alarms publish, and require TLS: %s", (topic) => {
    const policies = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    const { PolicyDocument } = policies.find(({ Topics }) => Topics[0].Ref === topic);
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      {
        Sid: 'AlarmsMayPublish',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: { Ref: topic },
        Condition: { StringEquals: { 'aws:SourceAccount': optionalSettings.account } },
      },
    ]);
  });

  it('are existing ones if the settings name them', () => {
    const arn = 'arn:aws:sns:eu-central-1:111122223333:on-call';
    const own = templateOf('dev', { alarms: { pages: arn, tickets: arn } });
    expect(typesOf(own, 'AWS::SNS::Topic')).toEqual([]);
    expect(theOnly(own, 'AWS::CloudWatch::CompositeAlarm').AlarmActions).toEqual([arn]);
    expect(theOnly(own, idOf('serverErrors', own) ?? '').AlarmActions).toEqual([arn]);
    // Its metrics are in its own account, so there would be nothing to watch here.
    expect(idOf('lostNotifications', own)).toBeUndefined();
  });
});

describe('the dashboard', () => {
  const { DashboardName, DashboardBody } = theOnly(template, 'AWS::CloudWatch::Dashboard');
  const body = JSON.stringify(DashboardBody);

  it('begins with the alarms, and shows their metrics and thresholds, and requests by operation and code', () => {
    expect(DashboardName).toBe('catalog-prod');
    expect(body.indexOf('"type\\":\\"alarm')).toBeLessThan(body.indexOf('Requests'));
    const names = alarms.flatMap(watchedBy).map((watched) => watched.split(' ')[1]);
    const ids = Object.keys(alarmDefinitions).map((name) => `["${idOf(name)}","Arn"]`);
    const thresholds = [2_000, 15 * 60_000].map((threshold) => `value\\":${threshold}`);
    for (const part of [...names, ...ids, ...thresholds, 'by operation, status, code']) expect(body).toContain(part);
  });

  it('counts the items that callers have saved, those of batches too, without dry runs and repeats', () => {
    expect(body).toContain("coalesce(rows.created, operation = 'createItem') as created");
    expect(body).toContain("account != 'heartbeat'");
    const [, replayed = ''] = /not like \/(.*?)\//.exec(body.replaceAll(/\\+"/g, '"')) ?? [];
    const lines = ['{"isDryRun":true}', '{"replayed":true}', '{"replayed":false,"isDryRun":false}'];
    expect(lines.map((line) => new RegExp(replayed).test(line))).toEqual([true, true, false]);
  });
});
