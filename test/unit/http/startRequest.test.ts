import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type Permission, permissions } from '../../../lib/access/caller.ts';
import { type StartedRequest, startRequest } from '../../../lib/http/operation.ts';
import { arrivalTime, gatewayEvent, lambdaContext } from '../../support/lambda/gatewayEvent.ts';

type Started = StartedRequest<undefined>;

function start(
  event: unknown,
  now = arrivalTime,
  remaining = 30_000,
  permission: Permission | null = 'catalog:edit',
): Started {
  const dependencies = { openStore: () => undefined, now: () => now, newWriteId: () => 'write-1' };
  const context = lambdaContext(remaining) as Context & Started;
  const request = { event, context } as Request<APIGatewayProxyEvent, unknown, Error, Context & Started>;
  startRequest(permission, dependencies).before?.(request);
  return context;
}
const callerOf = (event: unknown, now = arrivalTime) => start(event, now).caller;

const unauthorized = expect.objectContaining({
  code: 'UNAUTHORIZED',
  message: 'The access token is missing or not valid.',
});
const ann = {
  account: 'acme',
  user: 'ann',
  permissions,
  expiresAt: arrivalTime / 1000 + 60,
};

describe('the caller of a request', () => {
  it('is the one identified by the authorizer', () => {
    expect(callerOf(gatewayEvent())).toEqual(ann);
  });

  it('is rejected with two Authorization headers, in any case', () => {
    const event = gatewayEvent();
    for (const multiValueHeaders of [{ Authorization: ['a', 'a'] }, { Authorization: ['a'], authorization: ['b'] }])
      expect(() => callerOf({ ...event, multiValueHeaders })).toThrow(unauthorized);
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
  ])('is rejected if the event has none: %j', (event) => {
    expect(() => callerOf(event)).toThrow(unauthorized);
  });
});

describe('the context of a request', () => {
  it("has the caller, the write id, and the function's remaining time", () => {
    const stats = { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
    const expected = { account: 'acme', user: 'ann', stats, writeId: 'write-1' };
    const short = start(gatewayEvent(), arrivalTime, 3_000);
    expect(short.request).toEqual({ ...expected, deadline: arrivalTime + 2_500 });
    const long = start(gatewayEvent(), arrivalTime, 30_000);
    expect(long.request).toEqual({ ...expected, deadline: arrivalTime + 8_000 });
  });
});
