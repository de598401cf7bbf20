import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type Permission, permissions } from '../../../lib/access/permissions.ts';
import { type HandlerContext, type StartedRequest, startRequest } from '../../../lib/http/startRequest.ts';
import { arrivalTime, gatewayEvent } from '../../support/gatewayEvent.ts';
import { lambdaContext } from '../../support/proxyEvent.ts';

let writes = 0;
async function start(
  event: unknown,
  now = arrivalTime,
  remaining = 30_000,
  permission: Permission | null = 'catalog:edit',
): Promise<StartedRequest | undefined> {
  const context: HandlerContext = lambdaContext(remaining);
  const starting = startRequest({ permission, now: () => now, newWriteId: () => `write-${++writes}` });
  await middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, HandlerContext>()
    .use(starting)
    .handler(async () => ({ statusCode: 200, body: '' }))(event as APIGatewayProxyEvent, context);
  return context.request;
}
const callerOf = async (event: unknown, now = arrivalTime) => (await start(event, now))?.caller;

const unauthorized = expect.objectContaining({
  code: 'UNAUTHORIZED',
  message: 'The access token is missing or not valid.',
});
const forbidden = expect.objectContaining({
  code: 'FORBIDDEN',
  message: 'The access token does not permit this operation.',
});
const ann = {
  account: 'acme',
  user: 'ann',
  permissions,
  expiresAt: arrivalTime / 1000 + 60,
};

describe('the caller of a request', () => {
  it('is the one identified by the authorizer', async () => {
    expect(await callerOf(gatewayEvent())).toEqual(ann);
  });

  it('cannot be changed by anything that a caller sends', async () => {
    const body = JSON.stringify({ account: 'other', user: 'bob' });
    const headers = { 'X-Account-Id': 'other', 'X-User': 'bob', Authorization: 'Bearer other' };
    expect(await callerOf({ ...gatewayEvent({ body, headers }), caller: { account: 'other' } })).toEqual(ann);
  });

  it('is rejected once the token has expired, even while the gateway caches its policy', async () => {
    expect(await callerOf(gatewayEvent(), arrivalTime + 59_999)).toEqual(ann);
    await expect(callerOf(gatewayEvent(), arrivalTime + 60_000)).rejects.toEqual(unauthorized);
  });

  it('is rejected with two Authorization headers, in any case', async () => {
    const event = gatewayEvent();
    for (const multiValueHeaders of [{ Authorization: ['a', 'a'] }, { Authorization: ['a'], authorization: ['b'] }])
      await expect(callerOf({ ...event, multiValueHeaders })).rejects.toEqual(unauthorized);
  });

  it.each([
    null,
    {},
    5,
    'event',
    { requestContext: null },
    { requestContext: 'x' },
    { requestContext: {} },
    { requestContext: { authorizer: null } },
  ])('is rejected if the event has none: %j', async (event) => {
    await expect(callerOf(event)).rejects.toEqual(unauthorized);
  });

  it('is rejected without the permission (spec 5)', async () => {
    await expect(callerOf(gatewayEvent({ permissions: ['catalog:cost:read'] }))).rejects.toEqual(forbidden);
    await expect(callerOf(gatewayEvent({ permissions: [] }))).rejects.toEqual(forbidden);
  });
});

it('any valid token is enough for an operation without a permission', async () => {
  const event = gatewayEvent({ permissions: [] });
  const started = await start(event, arrivalTime, 30_000, null);
  expect(started?.caller).toEqual({ ...ann, permissions: [] });
  await expect(start(event, arrivalTime + 60_000, 30_000, null)).rejects.toEqual(unauthorized);
});

describe('the context of a request', () => {
  it("has the caller, a unique write id, and the function's remaining time", async () => {
    writes = 0;
    const stats = { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
    const expected = { account: 'acme', user: 'ann', stats };
    const short = await start(gatewayEvent(), arrivalTime, 3_000);
    expect(short?.context).toEqual({ ...expected, writeId: 'write-1', deadline: arrivalTime + 2_500 });
    const long = await start(gatewayEvent(), arrivalTime, 30_000);
    expect(long?.context).toEqual({ ...expected, writeId: 'write-2', deadline: arrivalTime + 8_000 });
  });
});
