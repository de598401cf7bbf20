import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Observation } from '../../../lib/http/observation.ts';
import { operationHandler } from '../../../lib/http/operation.ts';
import { CatalogError, type ErrorCode, errors, validationFailed } from '../../../lib/item/errors.ts';
import { responseHeaders as headers } from '../../support/api/responseHeaders.ts';
import { arrivalTime, gatewayEvent } from '../../support/lambda/gatewayEvent.ts';
import { lambdaContext } from '../../support/lambda/proxyEvent.ts';

/** Runs a handler that takes 5 ms. */
async function run(answer: () => unknown, event: unknown = gatewayEvent(), corsOrigins: readonly string[] = ['*']) {
  const observed: Observation[] = [];
  let clock = arrivalTime;
  const dependencies = { openStore: () => undefined, now: () => clock, newWriteId: () => 'write-1', corsOrigins };
  const observe = (one: Observation) => void observed.push(one);
  const handler = operationHandler('createItem', { ...dependencies, observe }, async () => {
    clock += 5;
    return answer() as { body: unknown };
  });
  const response = await handler(event as APIGatewayProxyEvent, lambdaContext());
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
  it('has its status, its own and the common headers, and its body as JSON', async () => {
    const { response, observed } = await run(() => ({ headers: { etag: '"1"' }, body: { data: { a: 0 } } }));
    expect(response).toEqual({ statusCode: 201, headers: { ...headers, etag: '"1"' }, body: '{"data":{"a":0}}' });
    expect(observed).toEqual([{ ...observation, status: 201, code: undefined }]);
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
  it('for invalid fields has the message of spec 7.2, and lists them', async () => {
    const invalid = [
      { field: 'name', reason: 'is required', rule: 'required' },
      { field: 'tag', reason: 'is odd', rule: 'pattern' },
    ] as const;
    expect((await run(refuse(validationFailed(invalid)))).response).toEqual({
      statusCode: 422,
      headers,
      body: JSON.stringify({ error: { message: 'Invalid field: name.', code: 'VALIDATION_FAILED', fields: invalid } }),
    });
  });

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

describe('a defect', () => {
  it.each([new Error('secret'), new TypeError('secret'), 'secret', { message: 'secret' }, 5])(
    'becomes INTERNAL_ERROR without revealing its message: %s',
    async (error) => {
      const { response, observed } = await run(refuse(error));
      expect(response).toEqual({
        statusCode: 500,
        headers,
        body: '{"error":{"message":"The request failed unexpectedly.","code":"INTERNAL_ERROR"}}',
      });
      expect(observed).toEqual([{ ...observation, status: 500, code: 'INTERNAL_ERROR', cause: error }]);
    },
  );
});
