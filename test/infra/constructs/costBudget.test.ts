import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import type { Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { createApp } from '../../../infra/catalogApp.ts';
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

it('a region that has no budgets is told, and gets the rest', () => {
  for (const region of ['eu-central-2', 'us-gov-west-1', 'mx-central-1']) {
    const app = createApp({ environment: 'prod', bundling: false, settings: { region } });
    const stack = app.node.findChild('catalog-prod') as Stack;
    expect(propertiesOf(Template.fromStack(stack), 'AWS::Budgets::Budget')).toEqual([]);
    const [told] = Annotations.fromStack(stack).findInfo('*', Match.stringLikeRegexp('Budget'));
    expect(told?.entry.data).toBe(`No AWS::Budgets::Budget in ${region}: create the budget of 200 USD yourself.`);
  }
});

it('there is no budget without the setting', () => {
  expect(propertiesOf(templateOf('staging'), 'AWS::Budgets::Budget')).toEqual([]);
});
