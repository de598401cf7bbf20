import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

/** Notifies when a month has cost 80 % and all of its budget, and when it is forecast to cost more. */
export class CostBudget extends Construct {
  /**
   * @param monthly in USD
   * @param recipient an email address or the ARN of a topic
   */
  constructor(scope: Construct, id: string, monthly: number, recipient: string) {
    super(scope, id);
    const subscribers = [{ subscriptionType: recipient.startsWith('arn:') ? 'SNS' : 'EMAIL', address: recipient }];
    const notifications = [
      { notificationType: 'ACTUAL', threshold: 80 },
      { notificationType: 'ACTUAL', threshold: 100 },
      { notificationType: 'FORECASTED', threshold: 100 },
    ];
    new CfnBudget(this, 'monthly', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthly, unit: 'USD' },
        // A tag counts once it is activated for cost allocation. In a shared AWS account, this is the cost of all stacks.
        costFilters: { TagKeyValue: ['user:service$catalog'] },
      },
      notificationsWithSubscribers: notifications.map((notification) => ({
        notification: { ...notification, comparisonOperator: 'GREATER_THAN' },
        subscribers,
      })),
    });
  }
}
