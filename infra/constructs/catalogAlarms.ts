import {
  Alarm,
  AlarmRule,
  AlarmState,
  AlarmStatusWidget,
  ComparisonOperator,
  CompositeAlarm,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { heartbeatAccount } from '../../lib/access/accountId.ts';
import { metricNames } from '../../lib/runtime/metrics.ts';
import { type AlarmDefinition, alarmDefinitions } from './alarmDefinitions.ts';
import type { CatalogFunctions } from './catalogFunction.ts';
import { type MonitoredResources, type ObservedMetrics, observedMetrics } from './observedMetrics.ts';

/**
 * The alarms of an environment. Each notifies the tickets topic when it goes off and when it ends. Urgent alarms also
 * page, through one composite alarm, so that an outage that triggers several of them pages only once, unless nobody is
 * paged. An environment without recipients has none, because nobody would see them.
 */
export class CatalogAlarms extends Construct {
  readonly metrics: ObservedMetrics;
  readonly alarms: Alarm[] = [];

  constructor(scope: Construct, id: string, observed: MonitoredResources) {
    super(scope, id);
    const { settings } = observed;
    const tickets = alarmTopic(this, 'tickets', settings.alarms?.tickets);
    const pages = alarmTopic(this, 'pages', settings.alarms?.pages);
    const notified = settings.alarms?.pages === undefined ? [tickets] : [tickets, pages];
    const ownTopics = notified.filter((topic) => topic instanceof Topic);
    this.metrics = observedMetrics(observed, ownTopics);
    // A topic costs nothing, and somebody may have subscribed to it.
    if (settings.alarms === undefined) return;
    const paging = new Map<Alarm, string>();
    for (const [name, definition] of Object.entries<AlarmDefinition>(alarmDefinitions)) {
      const metric = definition.metric(this.metrics);
      if (metric === undefined) continue;
      const alarm = new Alarm(this, name, {
        metric,
        threshold: definition.above ?? 0,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: definition.of ?? 3,
        datapointsToAlarm: definition.periods,
        treatMissingData: missingData[definition.missing ?? 'below'],
        alarmDescription: describe(this, definition),
      });
      this.alarms.push(alarm);
      notify(alarm, new SnsAction(tickets));
      if (definition.isPage) paging.set(alarm, `${name}: ${definition.impact}.`);
    }
    if (settings.alarms.pages === undefined) return;
    const composite = new CompositeAlarm(this, 'page', {
      alarmRule: AlarmRule.anyOf(...[...paging.keys()].map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
      alarmDescription: [
        'The reason of this notification names which of these went off:',
        ...paging.values(),
        ...firstSteps(this),
      ].join('\n'),
    });
    notify(composite, new SnsAction(pages));
  }
}

/**
 * The topic that alarms notify.
 * @param recipient the ARN of an existing topic, which is not modified, or an email address; undefined means no
 * recipient yet
 */
function alarmTopic(scope: Construct, id: string, recipient: string | undefined): ITopic {
  if (recipient?.startsWith('arn:')) return Topic.fromTopicArn(scope, id, recipient);
  const topic = new Topic(scope, id, { enforceSSL: true });
  // An explicit policy replaces the default one, which lets alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsMayPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (recipient !== undefined) topic.addSubscription(new EmailSubscription(recipient));
  return topic;
}

const missingData = {
  above: TreatMissingData.BREACHING,
  below: TreatMissingData.NOT_BREACHING,
  same: TreatMissingData.IGNORE,
} as const;

const consoleOf = ({ region }: Stack) => `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;

/** The first command, the dashboard and the page. */
function firstSteps(
  scope: Construct,
  { command = 'npm run admin -- smoke --env ENV', page = 'what-fails' }: Partial<AlarmDefinition> = {},
): string[] {
  const stack = Stack.of(scope);
  return [
    `First: ${command.replace('ENV', stack.stackName.replace('catalog-', ''))}`,
    `Dashboard: ${consoleOf(stack)}#dashboards/dashboard/${stack.stackName}`,
    `Page: docs/incidents.md#${page}`,
  ];
}

/** The text of a notification: who is affected, what to do, and the first steps. */
function describe(scope: Construct, definition: AlarmDefinition): string {
  const stack = Stack.of(scope);
  const [first, dashboard, page] = firstSteps(scope, definition);
  const logs = `Logs, with the saved query ${stack.stackName}/errors: ${consoleOf(stack)}#logsV2:logs-insights`;
  return [`${definition.impact}: ${definition.action}.`, first, dashboard, logs, page].join('\n');
}

function notify(alarm: Alarm | CompositeAlarm, action: SnsAction): void {
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

/** The state of an environment on one page, from its alarms and what callers notice at the top down to the table. */
export class CatalogDashboard extends Dashboard {
  constructor(
    scope: Construct,
    id: string,
    { alarms, metrics }: CatalogAlarms,
    all: CatalogFunctions,
    accessLogs: ILogGroup,
  ) {
    // Alarms link to it by this name.
    super(scope, id, { dashboardName: Stack.of(scope).stackName });
    const { api, backups, firewall, functions, requests, table } = metrics;
    /** A graph of the metrics that the environment has, with the thresholds of their alarms; none without any. */
    const graph = (title: string, ...shown: readonly (IMetric | undefined)[]): GraphWidget[] => {
      const left = shown.filter((metric) => metric !== undefined);
      const leftAnnotations = alarms.filter(({ metric }) => left.includes(metric)).map((alarm) => alarm.toAnnotation());
      return left.length === 0 ? [] : [new GraphWidget({ title, left, leftAnnotations, width: 8 })];
    };
    this.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 4 }));
    this.addWidgets(
      ...graph('Requests', api.requests, api.clientErrors, api.serverErrors),
      ...graph('Latency (ms)', api.medianLatency, api.p99Latency),
      ...graph('Turned away', api.throttled, api.unauthorized, firewall?.blocked, functions.throttles),
    );
    this.addWidgets(
      ...graph('5xx beyond 1 in 100', api.serverErrorExcess),
      ...graph('401 per request', api.unauthorizedRate),
      savedItems(all),
    );
    this.addWidgets(requestTable(all), accountTable(accessLogs));
    this.addWidgets(
      ...graph('Duration, p99 (ms)', ...functions.durations),
      ...graph('Time in DynamoDB, p99 (ms)', requests.databaseTime),
      ...graph('DynamoDB retries', ...requests.retried),
    );
    this.addWidgets(
      ...graph('Invocations', ...functions.invocations),
      ...graph('Instances at once', ...functions.instances),
      ...graph('Capacity of the table', table.readUnits, table.writeUnits),
    );
    this.addWidgets(
      ...graph('Rows of batches with 500, hourly', metrics.failedRows),
      ...graph('Writes refused, hourly', metrics.refusedWrites.share),
      ...graph('Heartbeat', metrics.heartbeat?.failures, metrics.heartbeat?.expiringToken),
      ...graph('Users refused', metrics.refusedUsers, metrics.unreadableTokens, api.unknownKeys),
      ...graph('Unreserved concurrency in use', functions.unreservedShare),
      ...graph('Notifications lost', metrics.lostNotifications),
      ...graph('Firewall', firewall?.allowed, firewall?.blocked, firewall?.throttled),
      ...graph('Verification', metrics.verificationFindings),
      ...graph('Changes', metrics.recordingLag, metrics.unreadableImages, metrics.events?.failed),
      ...graph('Backups', backups?.copies),
    );
  }
}

/** The items that callers have saved, counted in the logs as below. */
const savedItems = ({ createItem, updateItem, writeItems }: CatalogFunctions): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Items saved a day',
    view: LogQueryVisualizationType.BAR,
    logGroupNames: [createItem, updateItem, writeItems].map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      `filter message = 'request' and account != '${heartbeatAccount}' and status < 300 and @message not like /"(isDryRun|replayed)":true/`,
      "fields coalesce(rows.created, operation = 'createItem') as created, coalesce(rows.updated, operation = 'updateItem') as updated",
      'stats sum(created) as itemsCreated, sum(updated) as itemsUpdated by bin(1d)',
    ],
    width: 8,
  });

/** Who uses the service how much. A metric for each account would cost 0.30 USD a month. */
const accountTable = ({ logGroupName }: ILogGroup): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Accounts by requests',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: [logGroupName],
    queryLines: [
      `stats count(*) as requests, sum(status = '429') as refused, sum(integrationLatency) / 1000 as seconds, sum(responseLength) / 1048576 as megabytes by account`,
      'sort requests desc',
      'limit 50',
    ],
    width: 24,
  });

/** Requests by outcome, counted in the logs when the dashboard is opened, which costs less than metrics. */
const requestTable = (functions: CatalogFunctions): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Requests by operation and outcome, p99 in ms',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: Object.values(functions).map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      `filter message = 'request'`,
      `stats count(*) as requests, pct(duration, 99) as p99, pct(${metricNames.databaseTime}, 99) as inDynamoDB, avg(roundTrips) as perRequest by operation, status, code`,
      'sort requests desc',
    ],
    width: 24,
  });
