import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type AlarmDefinition, alarmDefinitions } from './alarmDefinitions.ts';
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
