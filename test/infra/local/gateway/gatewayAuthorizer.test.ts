import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { allowAll, sampleGateway } from './sampleGateway.ts';

// What the authorizer did wrong goes to the developer's terminal; here it is provoked.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

const as = (authorization: string) => ({ headers: { authorization } });

/** An authorizer that gives these answers, one after the other, and keeps what it was asked. */
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

describe('a request without an identity is not passed on to the authorizer', () => {
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
  test('of type REQUEST is asked with the request', async () => {
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

  test('of type TOKEN is asked with the token', async () => {
    const { events, guard } = guardWith(allowAll);
    await (await sampleGateway({ guard })).send('GET', '/token', as('me'));
    expect(events).toEqual([
      {
        type: 'TOKEN',
        methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/live/GET/token',
        authorizationToken: 'me',
      },
    ]);
  });

  test('tells the function of the caller, all in text', async () => {
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
      integrationLatency: expect.any(Number),
    });
  });

  test.each([
    ['says Unauthorized', new Error('Unauthorized'), 401, 'UNAUTHORIZED'],
    ['says something else', new Error('unauthorized'), 500, 'AUTHORIZER_FAILURE'],
    ['denies', policyFor('Deny', '*'), 403, 'ACCESS_DENIED'],
    ['allows another method only', policyFor('Allow', '*/POST/*'), 403, 'ACCESS_DENIED'],
    ['says nothing', undefined, 500, 'AUTHORIZER_CONFIGURATION_ERROR'],
    ['names nobody', { policyDocument: allowAll.policyDocument }, 500, 'AUTHORIZER_CONFIGURATION_ERROR'],
    ['has no policy', { principalId: 'user' }, 500, 'AUTHORIZER_CONFIGURATION_ERROR'],
    [
      'has a context that is no text',
      { ...allowAll, context: { roles: ['a'] } },
      500,
      'AUTHORIZER_CONFIGURATION_ERROR',
    ],
    [
      'has a condition',
      {
        principalId: 'user',
        policyDocument: { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*', Condition: {} }] },
      },
      500,
      'AUTHORIZER_CONFIGURATION_ERROR',
    ],
  ])('that %s', async (_, answer, status, type) => {
    const work = vi.fn();
    const { guard } = guardWith(answer);
    const response = await (await sampleGateway({ guard, work })).send('PUT', '/things/1', as('me'));
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ type })]);
    expect(work).not.toHaveBeenCalled();
  });

  test('that takes longer than it may fails', async () => {
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

describe('an answer of the authorizer', () => {
  test('is kept for the identity, over all routes, and weighed for each', async () => {
    const { events, guard } = guardWith(policyFor('Allow', '*/PUT/things/*'));
    const { send } = await sampleGateway({ guard });
    expect((await send('PUT', '/things/1', as('me'))).status).toBe(200);
    expect((await send('PUT', '/things/2', as('me'))).status).toBe(200);
    expect((await send('POST', '/things', as('me'))).status).toBe(403);
    expect(events).toHaveLength(1);
    await send('PUT', '/things/1', as('you'));
    expect(events).toHaveLength(2);
  });

  test('is kept no longer than the template says', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { events, guard } = guardWith(allowAll);
    const { send } = await sampleGateway({ guard });
    await send('PUT', '/things/1', as('me'));
    vi.advanceTimersByTime(59_999);
    await send('PUT', '/things/1', as('me'));
    expect(events).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await send('PUT', '/things/1', as('me'));
    vi.useRealTimers();
    expect(events).toHaveLength(2);
  });

  test('is not kept at all where the template says so', async () => {
    const { events, guard } = guardWith(allowAll);
    const { send } = await sampleGateway({ guard });
    await send('GET', '/fresh', as('me'));
    await send('GET', '/fresh', as('me'));
    expect(events).toHaveLength(2);
  });

  test('that is a failure is not kept', async () => {
    const { guard } = guardWith(new Error('Unauthorized'), new Error('down'), allowAll);
    const { send } = await sampleGateway({ guard });
    const statuses = [];
    for (let sent = 0; sent < 3; sent += 1) statuses.push((await send('PUT', '/things/1', as('me'))).status);
    expect(statuses).toEqual([401, 500, 200]);
  });

  test('for one header does not count for that header sent twice', async () => {
    const { events, guard } = guardWith(allowAll);
    const { send, sendRaw } = await sampleGateway({ guard });
    await send('PUT', '/things/1', as('me'));
    await sendRaw('PUT /things/1 HTTP/1.1\r\nauthorization: you\r\nauthorization: me\r\nconnection: close\r\n\r\n');
    expect(events[1]?.multiValueHeaders).toMatchObject({ authorization: ['you', 'me'] });
  });
});
