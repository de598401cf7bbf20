import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import type { Caller } from '../../../lib/access/caller.ts';
import type { RequestContext } from '../../../lib/catalog/catalogStore.ts';
import { startCall } from '../../../lib/http/startCall.ts';
import { lambdaContext, testCaller } from '../../support/proxyEvent.ts';

it('makes a request one of its caller, with a write id of its own and the time that is left', async () => {
  const writeIds = ['one', 'two'].values();
  const handler = middy<APIGatewayProxyEvent, RequestContext>()
    .use(
      startCall(
        () => 1_000,
        () => writeIds.next().value ?? '',
      ),
    )
    .handler(async ({ call }) => call);
  const event = { caller: testCaller('acme') } as APIGatewayProxyEvent & { caller: Caller; call: RequestContext };
  const stats = { roundTrips: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
  const call = { account: 'acme', user: 'user-1', stats };
  expect(await handler(event, lambdaContext(3_000))).toEqual({ ...call, writeId: 'one', deadline: 3_500 });
  expect(await handler(event, lambdaContext(30_000))).toEqual({ ...call, writeId: 'two', deadline: 9_000 });
});
