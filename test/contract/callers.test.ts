import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from '../support/apiRequests.ts';
import { expectItem, expectRefusal, shownItem } from '../support/apiResponses.ts';
import { itemNotFound as notFound } from '../support/refusals.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

/** By how many milliseconds this process's clock is ahead; set up before any module takes `Date.now` for its own. */
const clock = vi.hoisted(() => {
  const { now } = Date;
  const ahead = { ahead: 0 };
  Date.now = () => now() + ahead.ahead;
  return ahead;
});

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** What the functions send to the database, which is all in this process. */
function watchDatabase() {
  const send = vi.spyOn(DynamoDBClient.prototype, 'send');
  onTestFinished(() => send.mockRestore());
  return send;
}

/** Keeps a provoked failure off the terminal: what the gateway and the functions would say of it. */
function silenceLogs(): void {
  const ofGateway = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const ofFunctions = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => {
    ofGateway.mockRestore();
    ofFunctions.mockRestore();
  });
}

const unauthorized = { status: 401, code: 'UNAUTHORIZED' } as const;
const chair = { name: 'Chair' };

describe('who calls', () => {
  it.each(['bearer', 'BEARER', 'Bearer '])('may write the scheme as %j', async (scheme) => {
    const authorization = `${scheme} ${api.tokens.editor}`;
    const id = expectItem(await api.send(create(chair, { authorization })), shownItem(), 1);
    expectItem(await api.send(update(id, { value: 1 }, { authorization })), shownItem({ value: 1 }), 2);
  });

  it('is told by nothing but the token', async () => {
    const { send, tokens } = api;
    const claims = { 'x-account-id': 'demo-2', 'x-user-id': 'ann', 'x-permissions': '', 'x-amzn-account': 'demo-2' };
    // The second account's default tax is another one.
    const id = expectItem(await send(create(chair, claims)), shownItem(), 1);
    expectItem(await send(update(id, { value: 1 }, claims)), shownItem({ value: 1 }), 2);
    const { pk, sk } = keys.item('demo-1', id);
    expect((await api.records())[`${pk} ${sk}`]).toMatchObject({ id, written_by: 'editor' });
    const claimed = update(id, { value: 2 }, { ...bearer(tokens.otherAccount), 'x-account-id': 'demo-1' });
    expectRefusal(await send(claimed), notFound);
  });

  it.each([
    ['a wrong checksum', () => `Bearer ${createToken().slice(0, -6)}000000`],
    ['a token of an outdated form', () => 'Bearer cat_123'],
    ['two headers', () => [`Bearer ${createToken()}`, `Bearer ${createToken()}`]],
  ])('is refused for %s without asking the database', async (_, authorization) => {
    const send = watchDatabase();
    expectRefusal(await api.send(create(chair, { authorization: authorization() })), unauthorized);
    expect(send).not.toHaveBeenCalled();
  });

  it('is refused when the token has ended while the gateway still keeps its policy', async () => {
    // The gateway keeps a policy for 60 s.
    const expiresAt = Math.floor(Date.now() / 1000) + 30;
    const caller = { account: 'demo-1', user: 'ann', permissions: ['catalog:edit'] as const, expiresAt };
    const work = timedContext(Date.now() + 5_000);
    const { token } = await issueToken(api.database, work, caller, Date.now());
    const { cost: _, ...withoutCost } = shownItem();
    const id = expectItem(await api.send(create(chair, bearer(token))), withoutCost, 1);
    const before = await api.records();
    clock.ahead = expiresAt * 1000 - Date.now();
    onTestFinished(() => {
      clock.ahead = 0;
    });

    const send = watchDatabase();
    const refusal = { ...unauthorized, byFunction: true };
    expectRefusal(await api.send(create(chair, bearer(token))), refusal);
    expectRefusal(await api.send(update(id, { value: 1 }, bearer(token))), refusal);
    expect(send).not.toHaveBeenCalled();
    expect(await api.records()).toEqual(before);
  });

  it('is neither refused nor let in while tokens cannot be looked up', async () => {
    silenceLogs();
    const before = await api.records();
    const send = watchDatabase();
    const failure = Object.assign(new Error('No access to the table'), { name: 'AccessDeniedException' });
    send.mockRejectedValueOnce(failure as never);
    const answer = await api.send(create(chair, bearer(createToken())));
    expectRefusal(answer, { status: 500, code: 'INTERNAL_ERROR' });
    expect(send).toHaveBeenCalledOnce();
    send.mockRestore();
    expect(await api.records()).toEqual(before);
  });
});
