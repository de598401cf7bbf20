import { expect, it } from 'vitest';
import { propertiesOf, resourcesOf, templateOf } from '../templateOf.ts';

it('prod has a budget under its former logical id, which notifies the recipient of tickets from 80 % on', () => {
  const [[id, { Properties }] = ['', { Properties: {} }]] = resourcesOf(templateOf('prod'), 'AWS::Budgets::Budget');
  expect(id).toBe('budgetmonthlyF474E30F');
  const { Budget, NotificationsWithSubscribers: notified } = Properties;
  expect(Budget.BudgetLimit).toEqual({ Amount: 200, Unit: 'USD' });
  const shown = notified.map(({ Notification: { NotificationType, Threshold } }: never) => [
    NotificationType,
    Threshold,
  ]);
  expect(shown).toEqual([
    ['ACTUAL', 80],
    ['ACTUAL', 100],
    ['FORECASTED', 100],
  ]);
  expect(propertiesOf(templateOf('staging'), 'AWS::Budgets::Budget')).toEqual([]);
});
