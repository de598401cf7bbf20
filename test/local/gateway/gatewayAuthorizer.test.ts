import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { permits } from '../../../local/gateway/gatewayAuthorizer.ts';
import { allowAll, sampleGateway } from './sampleGateway.ts';

// The gateway prints failures for the developer. These tests cause them on purpose.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const as = (authorization: string) => ({ headers: { authorization } });

/** An authorizer that returns these results one after the other, and records its events. */
function guardWith(...answers: unknown[]) {
  const events: APIGatewayRequestAuthorizerEvent[] = [];
  const guard = (event: APIGatewayRequestAuthorizerEvent) => {
    events.push(event);
    const answer = answers[Math.min(events.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { events, guard };
}

const policyFor = (Effect: string, Resource: string) => ({
  principalId: 'user',
  policyDocument: { Version: '2012-10-17', Statement: [{ Effect, Action: 'execute-api:Invoke', Resource }] },
});

describe('a request without an identity gets 401 without invoking the authorizer', () => {
  test.each([
    ['no header', {}],
    ['an empty header', { headers: { authorization: '' } }],
    ['a blank header', { headers: { authorization: '  ' } }],
  ])('%s', async (_, init) => {
    const { events, guard } = guardWith(allowAll);
    const response = await (await sampleGateway({ guard })).send('PUT', '/things/1', init);
    expect([response.status, await response.json()]).toEqual([401, expect.objectContaining({ type: 'UNAUTHORIZED' })]);
    expect(events).toEqual([]);
  });
});

describe('the authorizer', () => {
  test('of type REQUEST receives the request', async () => {
    const { events, guard } = guardWith(allowAll);
    await (await sampleGateway({ guard })).send('PUT', '/things/1?a=b', as('me'));
    expect(events[0]).toMatchObject({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/live/PUT/things/1',
      resource: '/things/{id}',
      path: '/things/1',
      httpMethod: 'PUT',
      headers: { authorization: 'me' },
      multiValueHeaders: { authorization: ['me'] },
      queryStringParameters: { a: 'b' },
      pathParameters: { id: '1' },
      stageVariables: {},
      requestContext: { resourcePath: '/things/{id}', identity: { sourceIp: '127.0.0.1' } },
    });
  });

  test('passes its context to the function with all values as strings', async () => {
    const events: APIGatewayProxyEvent[] = [];
    const { guard } = guardWith({ ...allowAll, context: { account: 'a', expires: 12.5, edits: false } });
    const work = (event: APIGatewayProxyEvent) => {
      events.push(event);
      return {};
    };
    await (await sampleGateway({ guard, work })).send('PUT', '/things/1', as('me'));
    expect(events[0]?.requestContext.authorizer).toEqual({
      principalId: 'user',
      account: 'a',
      expires: '12.5',
      edits: 'false',
    });
  });

  test.each([
    ['throws Unauthorized', new Error('Unauthorized'), 401, 'UNAUTHORIZED'],
    ['throws another message', new Error('unauthorized'), 500, 'AUTHORIZER_FAILURE'],
    ['denies', policyFor('Deny', '*'), 403, 'ACCESS_DENIED'],
    ['allows another method only', policyFor('Allow', '*/POST/*'), 403, 'ACCESS_DENIED'],
    ['returns nothing', undefined, 500, 'AUTHORIZER_CONFIGURATION_ERROR'],
    [
      'returns a context with an array',
      { ...allowAll, context: { roles: ['a'] } },
      500,
      'AUTHORIZER_CONFIGURATION_ERROR',
    ],
    [
      'returns a policy with a condition',
      {
        principalId: 'user',
        policyDocument: { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*', Condition: {} }] },
      },
      500,
      'AUTHORIZER_CONFIGURATION_ERROR',
    ],
  ])('that %s causes the documented response', async (_, answer, status, type) => {
    const work = vi.fn();
    const { guard } = guardWith(answer);
    const response = await (await sampleGateway({ guard, work })).send('PUT', '/things/1', as('me'));
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ type })]);
    expect(work).not.toHaveBeenCalled();
  });

  test('that times out has failed', async () => {
    const response = await (await sampleGateway({ guard: () => new Promise(() => {}) })).send(
      'PUT',
      '/things/1',
      as('me'),
    );
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({ type: 'AUTHORIZER_FAILURE' }),
    ]);
  });
});

describe('the result of the authorizer', () => {
  test('is cached by identity across routes, and its policy is evaluated for each route', async () => {
    const { events, guard } = guardWith(policyFor('Allow', '*/PUT/things/*'));
    const { send } = await sampleGateway({ guard });
    expect((await send('PUT', '/things/1', as('me'))).status).toBe(200);
    expect((await send('PUT', '/things/2', as('me'))).status).toBe(200);
    expect((await send('POST', '/things', as('me'))).status).toBe(403);
    expect(events).toHaveLength(1);
    for (const caller of ['you', 'me', 'you']) await send('PUT', '/things/1', as(caller));
    expect(events).toHaveLength(2);
  });

  test('is cached for as long as the template says', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { events, guard } = guardWith(allowAll);
    const { send } = await sampleGateway({ guard });
    await send('PUT', '/things/1', as('me'));
    vi.advanceTimersByTime(59_999);
    await send('PUT', '/things/1', as('me'));
    expect(events).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await send('PUT', '/things/1', as('me'));
    expect(events).toHaveLength(2);
  });

  test('is not cached if the template says so', async () => {
    const { events, guard } = guardWith(allowAll);
    const { send } = await sampleGateway({ guard });
    await send('GET', '/fresh', as('me'));
    await send('GET', '/fresh', as('me'));
    expect(events).toHaveLength(2);
  });

  test('is not cached if it is a failure', async () => {
    const { guard } = guardWith(new Error('Unauthorized'), new Error('down'), allowAll);
    const { send } = await sampleGateway({ guard });
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) statuses.push((await send('PUT', '/things/1', as('me'))).status);
    expect(statuses).toEqual([401, 500, 200]);
  });

  test('for one header does not apply to the same header sent twice', async () => {
    const { events, guard } = guardWith(allowAll);
    const { send, sendRaw } = await sampleGateway({ guard });
    await send('PUT', '/things/1', as('me'));
    await sendRaw(
      'PUT /things/1 HTTP/1.1\r\nhost: x\r\nauthorization: you\r\nauthorization: me\r\nconnection: close\r\n\r\n',
    );
    expect(events[1]?.multiValueHeaders).toMatchObject({ authorization: ['you', 'me'] });
  });
});

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
