import { describe, expect, test } from 'vitest';
import { permits } from '../../local/policy.ts';

const arn = 'arn:aws:execute-api:us-east-1:000000000000:api/live/PUT/things/7';
const statement = (
  Effect: 'Allow' | 'Deny',
  Resource: string | string[],
  Action: string | string[] = 'execute-api:Invoke',
) => ({ Effect, Action, Resource });
const policy = (...Statement: ReturnType<typeof statement>[]) => ({ Statement });

describe('a policy', () => {
  test.each([
    ['of this method', policy(statement('Allow', arn))],
    ['of the whole stage', policy(statement('Allow', 'arn:aws:execute-api:us-east-1:000000000000:api/live/*'))],
    ['of one of several sampleResources', policy(statement('Allow', ['arn:other', '*']))],
    ['of all actions', policy(statement('Allow', '*', ['dynamodb:GetItem', 'execute-api:*']))],
  ])('allows the method with a statement %s', (_, document) => {
    expect(permits(document, arn)).toBe(true);
  });

  test.each([
    ['without a statement', policy()],
    ['of another method', policy(statement('Allow', arn.replace('PUT', 'POST')))],
    ['of another stage', policy(statement('Allow', 'arn:aws:execute-api:us-east-1:000000000000:api/test/*'))],
    ['of another action', policy(statement('Allow', '*', 'execute-api:ManageConnections'))],
    ['whose dots stand for dots', policy(statement('Allow', arn.replace('things', 't.ings')))],
    ['and another one that denies it', policy(statement('Allow', '*'), statement('Deny', arn))],
  ])('does not allow it with a statement %s', (_, document) => {
    expect(permits(document, arn)).toBe(false);
  });
});
