import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type AlarmDefinition, alarmDefinitions } from './alarmDefinitions.ts';
import { alarmTopic } from './alarmTopic.ts';
import { type MonitoredResources, type ObservedMetrics, observedMetrics } from './observedMetrics.ts';

/**
 * The alarms of an environment. Each notifies the tickets topic when it goes off and when it ends. Urgent alarms also
 * page, through one composite alarm, so that an outage that triggers several of them pages only once, unless nobody is
 * paged. An environment without recipients has none, because nobody would see them.
 */
export class CatalogAlarms extends Construct {
  /** What the alarms watch, and more. */
  readonly metrics: ObservedMetrics;

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
    const paging: Alarm[] = [];
    for (const [name, definition] of Object.entries<AlarmDefinition>(alarmDefinitions)) {
      const metric = definition.metric(this.metrics);
      if (metric === undefined) continue;
      const alarm = new Alarm(this, name, {
        metric,
        threshold: definition.above ?? 0,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: definition.of ?? 3,
        datapointsToAlarm: definition.periods,
        // Without requests there is no data, and nobody is affected.
        treatMissingData: definition.missingIsAbove ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
        alarmDescription: `${definition.impact}: ${definition.action}.`,
      });
      notify(alarm, new SnsAction(tickets));
      if (definition.severity === 'page') paging.push(alarm);
    }
    if (settings.alarms.pages === undefined) return;
    const composite = new CompositeAlarm(this, 'page', {
      alarmRule: AlarmRule.anyOf(...paging.map((alarm) => AlarmRule.fromAlarm(alarm, AlarmState.ALARM))),
      alarmDescription: 'Callers are affected now: the alarms below say who, and what to do.',
    });
    notify(composite, new SnsAction(pages));
  }
}

function notify(alarm: Alarm | CompositeAlarm, action: SnsAction): void {
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}
