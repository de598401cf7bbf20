import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { invokeInProcess, type LocalContext } from '../../../local/functions/invoke.ts';
import { matchRoute } from '../../../local/gateway/matchRoute.ts';
import { startGateway } from '../../../local/gateway/startGateway.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { sampleResources, sampleTemplate } from '../template/sampleTemplate.ts';
import { sampleGateway } from './sampleGateway.ts';

const uuid = /^[0-9a-f-]{36}$/;

/** A function that records its events and contexts. */
function recorder() {
  const events: APIGatewayProxyEvent[] = [];
  const contexts: LocalContext[] = [];
  const work = (event: APIGatewayProxyEvent, context: LocalContext) => {
    events.push(event);
    contexts.push(context);
    return { statusCode: 200, body: '{}' };
  };
  return { events, contexts, work };
}

// The gateway prints failures for the developer. These tests cause them on purpose.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

describe('routes', () => {
  test.each([
    ['an unknown path', 'GET', '/nothing'],
    ['an unknown method', 'GET', '/open'],
    ['an empty parameter', 'PUT', '/things//'],
    ['a longer path', 'PUT', '/things/1/2'],
    ['different upper and lower case', 'POST', '/Open'],
    ['a method that API Gateway does not know', 'PROPFIND', '/things/special'],
  ])('%s gets MISSING_AUTHENTICATION_TOKEN', async (_, method, path) => {
    const { events, work } = recorder();
    const response = await (await sampleGateway({ work })).send(method, path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ type: 'MISSING_AUTHENTICATION_TOKEN' });
    expect(events).toEqual([]);
  });

  test.each([
    ['/open', '/open'],
    ['/open/', '/open'],
    ['/open///', '/open'],
    ['//open', undefined],
    ['/', undefined],
    ['', undefined],
  ])('the path %j matches %j', (path, resource) => {
    const { routes } = readDeployment(sampleTemplate(sampleResources), 'local-table').api;
    expect(matchRoute(routes, 'POST', path)?.route.resource).toBe(resource);
  });

  test('a fixed segment takes precedence over a parameter', async () => {
    const { events, work } = recorder();
    await (await sampleGateway({ work })).send('GET', '/things/special');
    expect(events[0]).toMatchObject({ resource: '/things/special', pathParameters: null });
  });

  test.each(['7', '1%20', '%00', '%zz', '%', 'a+b', '__proto__'])('the parameter %s is not decoded', async (id) => {
    const { events, work } = recorder();
    await (await sampleGateway({ work })).sendRaw(
      `PUT /things/${id} HTTP/1.1\r\nhost: x\r\nauthorization: a\r\nconnection: close\r\n\r\n`,
    );
    expect(events[0]?.pathParameters).toEqual({ id });
  });

  test.each(['PUT', 'DELETE', 'OPTIONS'])('%s matches ANY on a fixed segment before a parameter', async (method) => {
    const { events, work } = recorder();
    const gateway = await sampleGateway({ work });
    const response = await gateway.send(method, '/things/special');
    expect([response.status, response.headers.get('allow')]).toEqual([404, 'GET']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ type: 'mock' });
    expect((await gateway.send('GET', '/things/special')).status).toBe(200);
    expect(events).toHaveLength(1);
  });

  test('a mock integration without passthrough rejects another media type', async () => {
    const send = async (type: string) => {
      const init = { body: '{"statusCode":200}', headers: { 'content-type': type } };
      const response = await (await sampleGateway()).send('PUT', '/things/special', init);
      return [response.status, await response.json()];
    };
    expect(await send('application/json; charset=utf-8')).toEqual([404, { type: 'mock' }]);
    expect(await send('text/plain')).toEqual([415, { type: 'UNSUPPORTED_MEDIA_TYPE' }]);
  });
});

describe('the event', () => {
  test('contains the whole request', async () => {
    const { events, work } = recorder();
    const { sendRaw } = await sampleGateway({ work });
    await sendRaw(
      'PUT /things/7?a=1&a=2&b=x+y HTTP/1.1\r\nHost: local.test:80\r\nauthorization: me\r\nX-One: 1\r\nx-one: 2\r\n' +
        '__proto__: p\r\nUser-Agent: tests\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi',
    );
    const { headers, multiValueHeaders, requestContext, ...rest } = events[0] as APIGatewayProxyEvent;
    expect(rest).toEqual({
      resource: '/things/{id}',
      path: '/things/7',
      httpMethod: 'PUT',
      queryStringParameters: { a: '2', b: 'x y' },
      multiValueQueryStringParameters: { a: ['1', '2'], b: ['x y'] },
      pathParameters: { id: '7' },
      stageVariables: null,
      body: 'hi',
      isBase64Encoded: false,
    });
    expect(Object.entries(headers)).toEqual([
      ['Host', 'local.test:80'],
      ['authorization', 'me'],
      ['X-One', '2'],
      ['__proto__', 'p'],
      ['User-Agent', 'tests'],
      ['Content-Type', 'text/plain'],
    ]);
    expect(multiValueHeaders['X-One']).toEqual(['1', '2']);
    expect(requestContext).toMatchObject({
      accountId: '000000000000',
      apiId: 'api',
      authorizer: { principalId: 'user' },
      httpMethod: 'PUT',
      identity: { sourceIp: '127.0.0.1' },
      path: '/things/7',
      protocol: 'HTTP/1.1',
      requestId: expect.stringMatching(uuid),
      requestTimeEpoch: expect.any(Number),
      resourceId: 'thing',
      resourcePath: '/things/{id}',
      stage: 'live',
    });
  });

  test.each([
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['APPLICATION/JSON', true],
    [undefined, true],
    ['text/plain', false],
    ['application/jsonp', false],
  ])('encodes a body of type %s in base64: %s', async (type, isBase64Encoded) => {
    const { events, work } = recorder();
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    await (await sampleGateway({ work })).send('POST', '/open', {
      body,
      headers: type === undefined ? {} : { 'content-type': type },
    });
    expect(events[0]).toMatchObject({ isBase64Encoded, body: body.toString(isBase64Encoded ? 'base64' : 'utf8') });
  });

  test('has null for everything that was not sent', async () => {
    const { events, work } = recorder();
    await (await sampleGateway({ work })).send('POST', '/open');
    expect(events[0]).toMatchObject({
      body: null,
      isBase64Encoded: false,
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    });
  });

  test("comes with Lambda's context", async () => {
    const { contexts, work } = recorder();
    await (await sampleGateway({ work })).send('POST', '/open');
    expect(contexts[0]?.awsRequestId).toMatch(uuid);
    expect(contexts[0]?.getRemainingTimeInMillis()).toBeGreaterThan(5_000);
    expect(contexts[0]?.getRemainingTimeInMillis()).toBeLessThanOrEqual(10_000);
  });
});

describe('the response', () => {
  /** A result of so many bytes, of which a quote and an é in its body take two each. */
  const resultOf = (bytes: number) => {
    const spare = bytes - JSON.stringify({ body: '' }).length;
    return { body: 'x'.repeat(spare % 4) + '"é'.repeat(spare / 4) };
  };

  test('can be as large as Lambda allows', async () => {
    const result = resultOf(6_291_556);
    expect(await (await answering(result)).text()).toBe(result.body);
  });

  const answering = async (answer: unknown, init?: RequestInit) =>
    (await sampleGateway({ work: () => answer })).send('POST', '/open', init);

  test("is the function's, with a default content type", async () => {
    const response = await answering({ statusCode: 201, headers: { 'X-Flag': 'true' }, body: '{"a":1}' });
    expect([response.status, response.headers.get('x-flag')]).toEqual([201, 'true']);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('{"a":1}');
  });

  test('has www-authenticate under the name that API Gateway gives it', async () => {
    const { headers } = await answering({ statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer' } });
    expect(headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
    expect(headers.has('www-authenticate')).toBe(false);
  });

  test('has the right content length, whatever the function returns', async () => {
    const response = await answering({ headers: { 'content-length': '99', connection: 'upgrade' }, body: 'ä' });
    expect(response.headers.get('content-length')).toBe('2');
    expect(await response.text()).toBe('ä');
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'hello'],
    ['a value that JSON cannot express', { statusCode: 200, body: 1n }],
    ['an unknown property', { statusCode: 200, cookies: [] }],
    ['a body that is not a string', { statusCode: 200, body: { a: 1 } }],
    ['a status that is not a number', { statusCode: 'teapot' }],
    ['a status out of range', { statusCode: 600 }],
    ['a header of several lines', { headers: { a: 'b\r\nc: d' } }],
    ['an invalid header name', { headers: { 'a b': 'c' } }],
    ['a header that is an object', { headers: { a: {} } }],
    ["more than Lambda's 6,291,556 bytes of JSON", resultOf(6_291_557)],
  ])('to a function that returns %s is an integration failure', async (_, answer) => {
    const response = await answering(answer);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ type: 'INTEGRATION_FAILURE' });
  });

  test.each([
    ['an error', new Error('secret')],
    ['a string', 'secret'],
  ])('to a function that throws %s is an integration failure without its message', async (_, thrown) => {
    const gateway = await sampleGateway({ work: () => Promise.reject(thrown) });
    const response = await gateway.send('POST', '/open');
    expect([response.status, await response.text()]).toEqual([502, expect.not.stringContaining('secret')]);
  });

  test('to a function that times out is an integration failure', async () => {
    const response = await (await sampleGateway({ work: () => sleep(500) })).send('GET', '/slowly');
    expect([response.status, await response.json()]).toEqual([
      502,
      expect.objectContaining({ type: 'INTEGRATION_FAILURE' }),
    ]);
  });

  test('to a function that takes longer than the integration waits is an integration timeout', async () => {
    const response = await (await sampleGateway({ work: () => sleep(500) })).send('GET', '/late');
    expect([response.status, await response.json()]).toEqual([
      504,
      expect.objectContaining({ type: 'INTEGRATION_TIMEOUT' }),
    ]);
  });
});

test('closing aborts requests, and waits for the functions under way', async () => {
  const began = Promise.withResolvers<void>();
  const done = vi.fn();
  const work = async () => {
    began.resolve();
    await sleep(50);
    done();
  };
  const { api } = readDeployment(sampleTemplate(sampleResources), 'local-table');
  const { url, close } = await startGateway(api, invokeInProcess(new Map([['work', work]])), 0);
  const aborted = expect(fetch(`${url}/open`, { method: 'POST' })).rejects.toThrow();
  await began.promise;
  await close();
  expect(done).toHaveBeenCalledOnce();
  await aborted;
});
