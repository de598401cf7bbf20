import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import type { Caller } from '../../../lib/access/caller.ts';
import type { Call } from '../../../lib/catalog/catalogStore.ts';
import { startCall } from '../../../lib/http/startCall.ts';
import { lambdaContext, testCaller } from '../../support/proxyEvent.ts';

it('makes a request one of its caller, with a stamp of its own and the time that is left', async () => {
  const stamps = ['one', 'two'].values();
  const handler = middy<APIGatewayProxyEvent, Call>()
    .use(
      startCall(
        () => 1_000,
        () => stamps.next().value ?? '',
      ),
    )
    .handler(async ({ call }) => call);
  const event = { caller: testCaller('acme') } as APIGatewayProxyEvent & { caller: Caller; call: Call };
  const effort = { roundTrips: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
  const call = { account: 'acme', user: 'user-1', effort };
  expect(await handler(event, lambdaContext(3_000))).toEqual({ ...call, stamp: 'one', deadline: 3_500 });
  expect(await handler(event, lambdaContext(30_000))).toEqual({ ...call, stamp: 'two', deadline: 9_000 });
});
