import { expect, it } from 'vitest';
import { propertiesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const topic = 'arn:aws:sns:eu-central-1:111122223333:tickets';

it.each([
  ['tickets@acme.test', 'EMAIL'],
  [topic, 'SNS'],
])('%s hears of a month that costs more than its budget, or will', (tickets, SubscriptionType) => {
  const own = templateWith({ monthlyBudget: 50, alarms: { pages: 'pages@acme.test', tickets } });
  const { Budget, NotificationsWithSubscribers } = theOnly(own, 'AWS::Budgets::Budget');
  expect(Budget).toMatchObject({
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: 50, Unit: 'USD' },
    CostFilters: { TagKeyValue: ['user:service$catalog'] },
  });
  expect(NotificationsWithSubscribers).toEqual(
    ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
      Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold: 100 },
      Subscribers: [{ SubscriptionType, Address: tickets }],
    })),
  );
});

it('there is no budget without the setting', () => {
  expect(propertiesOf(templateOf('staging'), 'AWS::Budgets::Budget')).toEqual([]);
});
