import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Annotations, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/** The regions in which CloudFormation can create a budget, which is the same everywhere. */
const regions = [
  ...['ap-northeast-1', 'ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2', 'ca-central-1'],
  ...['cn-north-1', 'cn-northwest-1', 'eu-central-1', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'me-south-1'],
  ...['sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
];

/** Notifies when a month's cost exceeds its budget, and before that when it is forecast to. */
export class CostBudget extends Construct {
  /**
   * @param monthly in USD
   * @param recipient an email address or the ARN of a topic
   */
  constructor(scope: Construct, id: string, monthly: number, recipient: string) {
    super(scope, id);
    const { region } = Stack.of(this);
    if (!regions.includes(region)) {
      Annotations.of(this).addInfo(
        `No AWS::Budgets::Budget in ${region}: create the budget of ${monthly} USD yourself.`,
      );
      return;
    }
    const subscribers = [{ subscriptionType: recipient.startsWith('arn:') ? 'SNS' : 'EMAIL', address: recipient }];
    new CfnBudget(this, 'monthly', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthly, unit: 'USD' },
        // Each environment is expected to have an AWS account of its own. In a shared one, this is the cost of all.
        costFilters: { TagKeyValue: ['user:service$catalog'] },
      },
      notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
        notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100 },
        subscribers,
      })),
    });
  }
}
