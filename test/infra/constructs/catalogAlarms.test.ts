import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { heartbeatChecks } from '../../../admin/smoke/checks.ts';
import { type AlarmDefinition, alarmDefinitions } from '../../../infra/constructs/alarmDefinitions.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { root } from '../../support/programs/program.ts';
import { propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

/** A template with everything that alarms can watch. */
const template = templateOf('prod', optionalSettings);
/** Without the alarms that only deployments check. */
const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').filter(({ AlarmActions }) => AlarmActions);
const idOf = (kind: string, of: typeof template = template) =>
  resourcesOf(of, 'AWS::CloudWatch::Alarm').find(([id]) => id.startsWith(`alarms${kind}`))?.[0];
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
const textOf = (value: string | { Ref: string } | { 'Fn::GetAtt': string[] }): string =>
  typeof value === 'string'
    ? value === 'table'
      ? 'the text "table"'
      : value
    : 'Ref' in value
      ? value.Ref
      : (value['Fn::GetAtt'][0] ?? '');

/** The metrics that an alarm watches, each as its namespace, name, dimension values and statistic. */
function watchedBy(alarm: (typeof alarms)[number]): string[] {
  const single = { Metric: alarm, Stat: alarm.Statistic ?? alarm.ExtendedStatistic };
  const several = alarm.Metrics?.flatMap(({ MetricStat }: { MetricStat?: object }) => MetricStat ?? []);
  return (several ?? [single]).map(({ Metric, Stat }: typeof single) => {
    const { Namespace, MetricName, Dimensions = [] } = Metric;
    return [Namespace, MetricName, ...Dimensions.map(({ Value }: { Value: string }) => textOf(Value)), Stat].join(' ');
  });
}

describe('the alarms', () => {
  it('watch what callers notice, and what retries still hide', () => {
    expect(
      Object.fromEntries(Object.keys(alarmDefinitions).map((name, index) => [name, watchedBy(alarms[index])])),
    ).toEqual({
      serverErrors: ['AWS/ApiGateway 5XXError catalog-prod Average', 'AWS/ApiGateway Count catalog-prod Sum'],
      noHeartbeat: ['Catalog HeartbeatFailures table Minimum'],
      refusedCallers: ['AWS/ApiGateway Count catalog-prod Sum', 'Catalog/catalog-prod Unauthorized Sum'],
      refusedUsers: ['Catalog RefusedUsers table Minimum', 'Catalog RefusedUsers table SampleCount'],
      lostNotifications: [tickets, pages].map((topic) => `AWS/SNS NumberOfNotificationsFailed ${topic} Sum`),
      failedRequests: ['AWS/ApiGateway 5XXError catalog-prod Sum'],
      failedRows: ['Catalog FailedRows table Sum'],
      refusedWrites: ['Catalog RefusedWrites table SampleCount', 'Catalog RefusedWrites table Average'],
      slowResponses: ['AWS/ApiGateway Latency catalog-prod p99'],
      tableRetries: ['Catalog RetriesThrottled table Sum', 'Catalog RetriesUnknown table Sum'],
      stageThrottles: ['Catalog/catalog-prod Throttled Sum'],
      firewallThrottles: ['token', 'address'].map(
        (rule) => `AWS/WAFV2 BlockedRequests eu-central-1 ${rule} catalog-prod Sum`,
      ),
      firewallRefusals: [
        'AWS/WAFV2 AllowedRequests eu-central-1 ALL catalog-prod Sum',
        'AWS/WAFV2 BlockedRequests eu-central-1 ALL catalog-prod Sum',
        ...(optionalSettings.firewall?.managedRules ?? []).map(
          (rules) => `AWS/WAFV2 BlockedRequests eu-central-1 ${rules} catalog-prod Sum`,
        ),
      ],
      refusedTokens: ['AWS/ApiGateway Count catalog-prod Sum', 'Catalog/catalog-prod Unauthorized Sum'],
      unreadableTokens: ['Catalog UnreadableTokens table Sum'],
      expiringToken: ['Catalog ExpiringToken table Maximum'],
      inconsistentTable: ['Catalog VerificationFindings table Maximum'],
      unrecordedChanges: ['AWS/Lambda IteratorAge recordChanges Maximum'],
      lateChanges: ['AWS/Lambda IteratorAge recordChanges Maximum'],
      failedEvents: ['Failed', 'PartiallyFailed', 'Throttled', 'Timeout'].map(
        (outcome) => `AWS/EventBridge/Pipes Execution${outcome} catalog-prod Sum`,
      ),
      stoppedEvents: ['AWS/EventBridge/Pipes Invocations catalog-prod Sum'],
      unreadableImages: ['Catalog UnreadableImages table Sum'],
      noBackup: ['AWS/Backup NumberOfCopyJobsCompleted catalog-prod-copies Sum'],
    });
  });

  it('watch fewer metrics than CloudWatch allows for an alarm', () => {
    for (const alarm of alarms) expect(watchedBy(alarm).length).toBeLessThan(10);
  });

  it.each(Object.keys(alarmDefinitions))(
    '%s says who is affected, what to do and to type first, and where to look',
    (name) => {
      const text: string = theOnly(template, idOf(name) ?? '').AlarmDescription;
      const [who, first, dashboard, logs, page] = text.split('\n');
      expect(who).toMatch(/^[^.:]*(callers?|people|nobody)[^.:]*: [^.]+\.$/i);
      expect(first).toMatch(
        /^First: (npm run admin -- \w+( \w+)? --env prod|aws [a-z]+ [a-z-]+( --by-state FAILED)?)$/,
      );
      const { DashboardName } = theOnly(template, 'AWS::CloudWatch::Dashboard');
      expect(dashboard).toMatch(new RegExp(`^Dashboard: https://eu-central-1\\..*/${DashboardName}$`));
      expect(logs).toContain('saved query catalog-prod/errors: https://eu-central-1.');
      const [, anchor = ''] = /^Page: docs\/incidents\.md#(.*)$/.exec(page ?? '') ?? [];
      expect(sections).toContain(anchor);
      // CloudWatch takes no longer ones.
      expect(text.length).toBeLessThanOrEqual(1_024);
    },
  );

  it('tell of changes that are recorded 15 minutes late, and page after an hour, whatever shard they are in', () => {
    const late = ['lateChanges', 'unrecordedChanges'].map((name) => theOnly(template, idOf(name) ?? ''));
    expect(late.map(({ Threshold, DatapointsToAlarm }) => [Threshold / 60_000, DatapointsToAlarm])).toEqual([
      [15, 1],
      [60, 1],
    ]);
  });

  it('stay silent without requests, except those about what happens every minute or day', () => {
    const loud = alarms.filter(({ TreatMissingData }) => TreatMissingData === 'breaching');
    expect(loud.flatMap(watchedBy)).toEqual([
      'Catalog HeartbeatFailures table Minimum',
      'Catalog VerificationFindings table Maximum',
      'AWS/EventBridge/Pipes Invocations catalog-prod Sum',
      'AWS/Backup NumberOfCopyJobsCompleted catalog-prod-copies Sum',
    ]);
  });

  it.each(['inconsistentTable', 'unreadableImages', 'failedRows'])('%s goes off for a single one', (name) => {
    expect(theOnly(template, idOf(name) ?? '').Threshold).toBe(0);
  });

  it.each(['noBackup', 'inconsistentTable'])(
    "%s waits for a whole day without any, because today's may not be due yet",
    (name) => {
      const { Metrics, DatapointsToAlarm } = theOnly(template, idOf(name) ?? '');
      expect(Metrics.at(-1).MetricStat.Period).toBe(24 * 60 * 60);
      expect(DatapointsToAlarm).toBe(2);
    },
  );

  // Arithmetic on a metric without any data, such as that of a rule that has blocked nothing, has no result.
  it('add metrics up with functions that ignore a metric without data', () => {
    for (const { Metrics = [] } of alarms)
      for (const { Expression = '' } of Metrics)
        expect(Expression).not.toMatch(/[-+] *[a-z(]|(?<!FILL\()\bblocked\b(?!,)/);
  });

  it.each(['failedRequests', 'failedRows'])(
    'tell of rare %s a few times a day, because they stay on for hours',
    (name) => {
      const { Period, EvaluationPeriods } = theOnly(template, idOf(name) ?? '');
      expect(Period * EvaluationPeriods).toBe(3 * 60 * 60);
    },
  );

  it.each(['serverErrors', 'refusedCallers'])('%s does not count what happens beside the heartbeat alone', (name) => {
    const { Metrics } = theOnly(template, idOf(name) ?? '');
    expect(Metrics[0].Expression).toMatch(/^IF\(requests > 20, .*, 0\)$/);
    expect(heartbeatChecks('token').length).toBeLessThan(20);
  });

  it('are omitted if there is nothing for them to watch', () => {
    const plain = templateOf('prod', { heartbeat: false, verification: false, firewall: undefined });
    const optional = [
      'noHeartbeat',
      'expiringToken',
      'refusedUsers',
      'unreadableTokens',
      'inconsistentTable',
      'noBackup',
    ];
    for (const name of [...optional, 'firewallThrottles', 'firewallRefusals'])
      expect(idOf(name, plain)).toBeUndefined();
    expect(idOf('serverErrors', plain)).toBeDefined();
    expect(idOf('firewallThrottles', templateOf('prod'))).toBeDefined();
    expect(idOf('firewallRefusals', templateOf('staging'))).toBeUndefined();
    const silent = templateOf('prod', { eventBus: optionalSettings.eventBus, heartbeatToken: undefined });
    expect([idOf('failedEvents', silent), idOf('stoppedEvents', silent)]).toEqual([expect.any(String), undefined]);
  });
});

it('an environment without recipients has neither alarms nor a dashboard, which nobody would see', () => {
  const types = resourcesOf(templateOf('dev')).map(([, { Type }]) => Type);
  expect(types.filter((type) => /CloudWatch::(\w*Alarm|Dashboard)/.test(type))).toEqual([]);
});

describe('an alarm', () => {
  it.each(alarms)('notifies the tickets topic when it goes off and when it ends', ({ AlarmActions, OKActions }) => {
    expect([AlarmActions, OKActions]).toEqual([[{ Ref: tickets }], [{ Ref: tickets }]]);
  });

  it('pages only through the composite alarm, if it is a page', () => {
    expect([composite.AlarmActions, composite.OKActions]).toEqual([[{ Ref: pages }], [{ Ref: pages }]]);
    const ids = composite.AlarmRule['Fn::Join'][1].flatMap(
      (part: { 'Fn::GetAtt'?: string[] }) => part['Fn::GetAtt']?.[0] ?? [],
    );
    const paging = Object.entries<AlarmDefinition>(alarmDefinitions).filter(([, { isPage }]) => isPage);
    expect(ids).toEqual(paging.map(([name]) => idOf(name)));
    const lines = paging.map(([name, { impact }]) => `${name}: ${impact}.`);
    const text = composite.AlarmDescription.split('\n');
    expect(text.slice(1, -3)).toEqual(lines);
    expect(text.slice(-3)).toEqual([
      'First: npm run admin -- smoke --env prod',
      expect.stringMatching(/^Dashboard: https:.*#dashboards\/dashboard\/catalog-prod$/),
      'Page: docs/incidents.md#what-fails',
    ]);
    expect(composite.AlarmDescription.length).toBeLessThanOrEqual(1_024);
  });
});

it('nobody is paged without a recipient of pages, and then a page is only a ticket', () => {
  const own = templateWith({ alarms: { tickets: 'ops@acme.test' } });
  expect(propertiesOf(own, 'AWS::CloudWatch::CompositeAlarm')).toEqual([]);
  expect(propertiesOf(own, 'AWS::SNS::Subscription')).toHaveLength(1);
  expect(
    theOnly(own, idOf('lostNotifications', own) ?? '').Metrics.filter(({ MetricStat }: never) => MetricStat),
  ).toHaveLength(1);
});

describe('the topics', () => {
  it('send email to the addresses in the settings', () => {
    const sent = propertiesOf(template, 'AWS::SNS::Subscription').map(({ Protocol, Endpoint, TopicArn }) => [
      Protocol,
      Endpoint,
      TopicArn.Ref,
    ]);
    const { alarms: recipients } = settingsOf('prod');
    expect(sent).toEqual([
      ['email', recipients?.tickets, tickets],
      ['email', recipients?.pages, pages],
    ]);
  });

  it("let only this account's alarms publish, and require TLS", () => {
    const policies = propertiesOf(template, 'AWS::SNS::TopicPolicy').map(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    expect(policies).toEqual(
      [tickets, pages].map((topic) => [
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        {
          Sid: 'AlarmsMayPublish',
          Effect: 'Allow',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Action: 'sns:Publish',
          Resource: { Ref: topic },
          Condition: { StringEquals: { 'aws:SourceAccount': optionalSettings.account } },
        },
      ]),
    );
  });

  it('are existing ones if the settings name them', () => {
    const arn = 'arn:aws:sns:eu-central-1:111122223333:on-call';
    const own = templateWith({ alarms: { pages: arn, tickets: arn } });
    expect(resourcesOf(own, 'AWS::SNS::Topic')).toEqual([]);
    expect(theOnly(own, 'AWS::CloudWatch::CompositeAlarm').AlarmActions).toEqual([arn]);
    expect(theOnly(own, idOf('serverErrors', own) ?? '').AlarmActions).toEqual([arn]);
    // Its metrics are in its own account, so there would be nothing to watch here.
    expect(idOf('lostNotifications', own)).toBeUndefined();
  });
});

describe('the dashboard', () => {
  const body = JSON.stringify(theOnly(template, 'AWS::CloudWatch::Dashboard').DashboardBody);

  it('shows the metrics of all alarms, and the requests by operation and error code', () => {
    expect(body).toContain('by operation, status, code');
    const names = alarms.flatMap(watchedBy).map((watched) => watched.split(' ')[1]);
    for (const name of names) expect(body).toContain(name);
  });

  it('begins with the alarms, and draws their thresholds', () => {
    expect(body.indexOf('"type\\":\\"alarm')).toBeLessThan(body.indexOf('Requests'));
    for (const id of Object.keys(alarmDefinitions)) expect(body).toContain(`["${idOf(id)}","Arn"]`);
    for (const threshold of [2_000, 15 * 60_000]) expect(body).toContain(`value\\":${threshold}`);
  });

  it('counts the items that callers have saved, those of batches too, without dry runs and repeats', () => {
    expect(body).toContain("coalesce(rows.created, operation = 'createItem') as created");
    expect(body).toContain("account != 'heartbeat'");
    const replayed =
      /not like \/(.*?)\//.exec(JSON.parse(body)['Fn::Join'][1].join('').replaceAll('\\"', '"'))?.[1] ?? '';
    const lines = ['{"isDryRun":true}', '{"replayed":true}', '{"replayed":false,"isDryRun":false}'];
    expect(lines.map((line) => new RegExp(replayed).test(line))).toEqual([true, true, false]);
  });
});
