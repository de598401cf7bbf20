import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';

/**
 * The topic that alarms notify.
 * @param recipient the ARN of an existing topic, which is not modified, or an email address; undefined means no
 * recipient yet
 */
export function alarmTopic(scope: Construct, id: string, recipient: string | undefined): ITopic {
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
