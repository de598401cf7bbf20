import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

interface CostBudgetProps {
  /** In USD. */
  readonly monthly: number;
  /** An email address or the ARN of a topic. */
  readonly recipient: string;
}

/** Notifies when a month's cost exceeds its budget, and before that when it is forecast to. */
export class CostBudget extends Construct {
  constructor(scope: Construct, id: string, { monthly, recipient }: CostBudgetProps) {
    super(scope, id);
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
