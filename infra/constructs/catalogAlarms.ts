import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Settings } from '../environments.ts';
import { type AlarmName, alarmAdvice, alarmConditions } from './alarmDefinitions.ts';
import type { Observed } from './observedMetrics.ts';

/** The alarms of an environment. All of them notify one topic when they go off and when they are over. */
export class CatalogAlarms extends Construct {
  constructor(scope: Construct, id: string, { settings, ...observed }: Observed & { readonly settings: Settings }) {
    super(scope, id);
    const action = new SnsAction(this.#topic(settings));
    for (const [name, { metric, above, periods }] of Object.entries(alarmConditions(observed))) {
      const { hurt, action: advice } = alarmAdvice[name as AlarmName];
      const alarm = new Alarm(this, name, {
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 3,
        datapointsToAlarm: periods,
        // Without requests there is no data, and nobody is hurt.
        treatMissingData: TreatMissingData.NOT_BREACHING,
        alarmDescription: `${hurt}: ${advice}.`,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
    }
  }

  #topic({ alarmEmail }: Settings): Topic {
    const topic = new Topic(this, 'topic', { enforceSSL: true });
    // A policy of the topic's own replaces the default one, which lets alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsMayPublish',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
    return topic;
  }
}
