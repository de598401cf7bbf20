import { expect, test } from 'vitest';
import { permits } from '../../local/policy.ts';

const arn = 'arn:aws:execute-api:us-east-1:000000000000:api/live/PUT/things/7';
const statement = (Effect: 'Allow' | 'Deny', Resource: string) =>
  ({ Effect, Action: 'execute-api:Invoke', Resource }) as const;

test.each([
  ['of this method', true, [statement('Allow', arn)]],
  ['of the whole stage', true, [statement('Allow', 'arn:aws:execute-api:us-east-1:000000000000:api/live/*')]],
  ['of another method', false, [statement('Allow', arn.replace('PUT', 'POST'))]],
  ['of another stage', false, [statement('Allow', 'arn:aws:execute-api:us-east-1:000000000000:api/test/*')]],
  ['whose dots stand for dots', false, [statement('Allow', arn.replace('things', 't.ings'))]],
  ['and another one that denies it', false, [statement('Allow', '*'), statement('Deny', arn)]],
  ['of none', false, []],
])('a policy with a statement %s allows a method: %s', (_, isAllowed, Statement) => {
  expect(permits({ Version: '2012-10-17', Statement }, arn)).toBe(isAllowed);
});
