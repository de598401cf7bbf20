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
import type { Settings } from '../environments.ts';
import { type AlarmName, alarmAdvice, alarmConditions } from './alarmDefinitions.ts';
import { alarmTopic } from './alarmTopic.ts';
import type { MonitoredResources } from './observedMetrics.ts';

/**
 * The alarms of an environment. Each notifies the tickets topic when it goes off and when it ends. Urgent alarms also
 * page, through one composite alarm, so that an outage that triggers several of them pages only once. An environment
 * without recipients has none, because nobody would see them.
 */
export class CatalogAlarms extends Construct {
  /** The topics that belong to this stack. */
  readonly ownTopics: readonly Topic[];

  constructor(
    scope: Construct,
    id: string,
    { settings, ...observed }: MonitoredResources & { readonly settings: Settings },
  ) {
    super(scope, id);
    const tickets = alarmTopic(this, 'tickets', settings.alarms?.tickets);
    const pages = alarmTopic(this, 'pages', settings.alarms?.pages);
    this.ownTopics = [tickets, pages].filter((topic) => topic instanceof Topic);
    // A topic costs nothing, and somebody may have subscribed to it.
    if (settings.alarms === undefined) return;
    const conditions = alarmConditions({ ...observed, settings, ownTopics: this.ownTopics });
    const paging: Alarm[] = [];
    for (const [name, condition] of Object.entries(conditions)) {
      if (condition === undefined) continue;
      const { severity, impact, action } = alarmAdvice[name as AlarmName];
      const alarm = new Alarm(this, name, {
        metric: condition.metric,
        threshold: condition.above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 3,
        datapointsToAlarm: condition.periods,
        // Without requests there is no data, and nobody is affected.
        treatMissingData: condition.missingIsAbove ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
        alarmDescription: `${impact}: ${action}.`,
      });
      notify(alarm, new SnsAction(tickets));
      if (severity === 'page') paging.push(alarm);
    }
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
