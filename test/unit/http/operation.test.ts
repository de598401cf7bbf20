import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { jsonBody } from '../../../lib/http/jsonBody.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { operation, servedTogether } from '../../../lib/http/operation.ts';
import { CatalogError, type ErrorCode, errors } from '../../../lib/item/errors.ts';
import { responseHeaders as headers } from '../../support/api/responseHeaders.ts';
import { arrivalTime, gatewayEvent, lambdaContext } from '../../support/lambda/gatewayEvent.ts';

/** Runs a handler that takes 5 ms. */
async function run(
  answer: () => unknown,
  event: unknown = gatewayEvent(),
  corsOrigins: readonly string[] = ['*'],
  context = lambdaContext(),
) {
  const observed: Observation[] = [];
  let clock = arrivalTime;
  const dependencies = { openStore: () => undefined, now: () => clock, newWriteId: () => 'write-1', corsOrigins };
  const observe = (one: Observation) => void observed.push(one);
  const handler = operation('createItem', { ...dependencies, observe }).handler(async () => {
    clock += 5;
    return answer() as { body: unknown };
  });
  const response = await handler(event as APIGatewayProxyEvent, context);
  return { response, observed };
}

const refuse = (error: unknown) => () => {
  throw error;
};
const observation = {
  requestId: 'request-1',
  operation: 'createItem',
  account: 'acme',
  replayed: false,
  duration: 5,
  stats: expect.any(Object),
  cause: undefined,
};

describe('a response', () => {
  it('has its status, its own and the common headers, whether it is a replay, and its body as JSON', async () => {
    const answer = { headers: { etag: '"1"' }, body: { data: { a: 0 } }, replayed: true };
    const { response, observed } = await run(() => answer);
    const own = { etag: '"1"', 'idempotency-replayed': 'true' };
    expect(response).toEqual({ statusCode: 201, headers: { ...headers, ...own }, body: '{"data":{"a":0}}' });
    expect(observed).toEqual([{ ...observation, status: 201, code: undefined, replayed: true }]);
  });

  it('can only be read by pages of allowed origins', async () => {
    const event = gatewayEvent({ headers: { Origin: 'https://shop.example' } });
    const answer = () => ({ body: {} });
    const shown = await run(answer, event, ['https://shop.example']);
    expect(shown.response.headers).toEqual({
      ...headers,
      'access-control-allow-origin': 'https://shop.example',
      vary: 'origin',
    });
    const hidden = await run(answer, event, ['https://other.example']);
    expect(hidden.response.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('has the id of the invocation if there is no gateway', async () => {
    for (const event of [null, {}, { requestContext: null }, { requestContext: { requestId: null } }])
      expect((await run(() => ({ body: {} }), event)).response.headers).toMatchObject({
        'x-request-id': 'invocation-1',
      });
  });
});

describe('an error', () => {
  it.each([
    ['UNAUTHORIZED', { 'www-authenticate': 'Bearer error="invalid_token"' }],
    ['TOO_MANY_REQUESTS', { 'retry-after': '1' }],
    ['SERVICE_UNAVAILABLE', { 'retry-after': '1' }],
  ] as const)('%s tells the client what to do', async (code, more) => {
    expect((await run(refuse(new CatalogError(code)))).response.headers).toEqual({ ...headers, ...more });
  });

  it.each(Object.keys(errors) as ErrorCode[])('%s has the format of spec 7.1', async (code) => {
    const { response, observed } = await run(refuse(new CatalogError(code)));
    const { status } = errors[code];
    expect(response.statusCode).toBe(status);
    expect(observed).toEqual([{ ...observation, status, code }]);
    expect(JSON.parse(response.body)).toEqual({ error: { message: errors[code].message, code } });
  });

  it('reveals its cause only to the log', async () => {
    const cause = new Error('table-1 is throttled');
    const { response, observed } = await run(refuse(new CatalogError('SERVICE_UNAVAILABLE', { cause })));
    expect(JSON.stringify(response)).not.toContain('table-1');
    expect(observed).toEqual([{ ...observation, status: 503, code: 'SERVICE_UNAVAILABLE', cause }]);
  });
});

it('a handler gets only what a middleware of its operation reads', () => {
  const dependencies = { openStore: () => undefined, now: () => arrivalTime, newWriteId: () => '', corsOrigins: [] };
  const serving = operation('createItem', { ...dependencies, observe: () => undefined });
  serving.use(jsonBody()).handler(async (_, { body }) => ({ body }));
  // @ts-expect-error: nothing has read the body.
  serving.handler(async (_, { body }) => ({ body }));
});

it('a function fails for a route that none of its operations has', async () => {
  await expect(servedTogether({})(gatewayEvent(), lambdaContext())).rejects.toThrow('does not serve this route');
});

it('a request that is refused has nothing of the one before it, if both have the same context', async () => {
  const context = lambdaContext();
  await run(() => ({ body: {} }), gatewayEvent(), ['*'], context);
  const { observed } = await run(() => ({ body: {} }), { requestContext: {} }, ['*'], context);
  expect(observed).toMatchObject([{ account: undefined, status: 401, stats: undefined }]);
});

describe('a defect', () => {
  it('in an answer is observed once, as what the caller gets', async () => {
    const { response, observed } = await run(() => ({ body: 1n }));
    expect(response.statusCode).toBe(500);
    expect(observed).toEqual([{ ...observation, status: 500, code: 'INTERNAL_ERROR', cause: expect.any(TypeError) }]);
  });

  const unexpected = [new Error('secret'), new TypeError('secret'), 'secret', { message: 'secret' }, 5];
  it.each(unexpected)('becomes INTERNAL_ERROR without revealing its message: %s', async (error) => {
    const { response, observed } = await run(refuse(error));
    expect(response).toEqual({
      statusCode: 500,
      headers,
      body: '{"error":{"message":"The request failed unexpectedly.","code":"INTERNAL_ERROR"}}',
    });
    expect(observed).toEqual([{ ...observation, status: 500, code: 'INTERNAL_ERROR', cause: error }]);
  });
});
