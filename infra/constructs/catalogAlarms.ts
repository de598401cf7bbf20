import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Settings } from '../environments.ts';
import { apiMetrics, functionMetrics, type Observed, tableMetrics, workMetrics } from './observedMetrics.ts';

interface AlarmDefinition {
  readonly metric: IMetric;
  /** It is an alarm above this, in the metric's unit. */
  readonly above: number;
  /** For this many of the last three measurements of five minutes. */
  readonly times: 1 | 2 | 3;
  /** Who is hurt, and what to do. */
  readonly description: string;
}

/** The alarms of an environment, sent to one topic when they go off and when they are over. */
export class CatalogAlarms extends Construct {
  constructor(scope: Construct, id: string, { settings, ...observed }: Observed & { readonly settings: Settings }) {
    super(scope, id);
    const topic = new Topic(this, 'topic', { enforceSSL: true });
    // A topic with a policy of its own loses the default one, by which alarms may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsMayPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (settings.alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(settings.alarmEmail));
    const action = new SnsAction(topic);
    for (const [name, { metric, above, times, description }] of Object.entries(alarmsOf(observed))) {
      const alarm = new Alarm(this, name, {
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 3,
        datapointsToAlarm: times,
        // Nobody calls: nobody is hurt.
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: description,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }
}

function alarmsOf(observed: Observed): Record<string, AlarmDefinition> {
  const api = apiMetrics(observed);
  const functions = functionMetrics(observed);
  const work = workMetrics(observed);
  return {
    serverErrors: {
      metric: api.serverErrorRate,
      above: 0.01,
      times: 2,
      description:
        'More than 1 in 100 requests fail and callers cannot save their items: look up the errors in the logs of the functions, and roll back if it began with a deployment.',
    },
    slowResponses: {
      metric: api.p99Latency,
      above: 2000,
      times: 3,
      description:
        'The slowest 1 in 100 requests take over 2 seconds and people wait at their forms: see in the traces whether the functions or the table are slow.',
    },
    functionThrottles: {
      metric: functions.throttles,
      above: 0,
      times: 1,
      description:
        'Lambda refused to run a function and callers got errors: raise the reserved concurrency of the environment or the limit of the account.',
    },
    outOfTries: {
      metric: work.outOfTries,
      above: 0,
      times: 2,
      description:
        'Callers got 503 as their writes could not be done or told in time: see on the dashboard why messages were sent again, and slow down who writes one item or code (conflict, moved), or look at DynamoDB and the way to it (throttled, unknown).',
    },
    authorizerFailures: {
      metric: work.authorizerFailures,
      above: 0,
      times: 1,
      description:
        'The authorizer could not check tokens and callers with good ones were turned away: look up the error in its log, and check that the table answers (an authorizer that does not even start is seen in serverErrors alone).',
    },
    tableThrottles: {
      metric: tableMetrics(observed).throttles,
      above: 0,
      times: 2,
      description:
        'DynamoDB throttles requests and callers of busy accounts wait or get 503: find the busy key with contributor insights, and slow down who writes it.',
    },
  };
}
