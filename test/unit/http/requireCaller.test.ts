import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/access/caller.ts';
import { requireCaller } from '../../../lib/http/requireCaller.ts';
import { arrivalTime, gatewayEvent } from '../../support/gatewayEvent.ts';
import { lambdaContext } from '../../support/proxyEvent.ts';

const callerOf = (event: unknown, now = arrivalTime): Promise<Caller> =>
  middy<APIGatewayProxyEvent, Caller>()
    .use(requireCaller('catalog:edit', () => now))
    .handler(async ({ caller }) => caller)(event as APIGatewayProxyEvent & { caller: Caller }, lambdaContext());

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
  permissions: ['catalog:edit', 'catalog:cost:read'],
  expiresAt: arrivalTime / 1000 + 60,
};

describe('the caller', () => {
  it('is the one that the authorizer found', async () => {
    expect(await callerOf(gatewayEvent())).toEqual(ann);
  });

  it('is not another by anything that a caller can send', async () => {
    const body = JSON.stringify({ account: 'other', user: 'bob' });
    const headers = { 'X-Account-Id': 'other', 'X-User': 'bob', Authorization: 'Bearer other' };
    expect(await callerOf({ ...gatewayEvent({ body, headers }), caller: { account: 'other' } })).toEqual(ann);
  });

  it('is nobody once the token has ended, also while the policy is cached', async () => {
    expect(await callerOf(gatewayEvent(), arrivalTime + 59_999)).toEqual(ann);
    await expect(callerOf(gatewayEvent(), arrivalTime + 60_000)).rejects.toEqual(unauthorized);
  });

  it('is nobody by two Authorization headers, whatever their case', async () => {
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
  ])('is nobody in the event %j', async (event) => {
    await expect(callerOf(event)).rejects.toEqual(unauthorized);
  });

  it('is refused without the permission (spec 5)', async () => {
    await expect(callerOf(gatewayEvent({ permissions: ['catalog:cost:read'] }))).rejects.toEqual(forbidden);
    await expect(callerOf(gatewayEvent({ permissions: [] }))).rejects.toEqual(forbidden);
  });
});
