import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { issueToken, revokeTokens } from '../../admin/accounts/accounts.ts';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefusal, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { forbidden, itemNotFound, type Refusal, unauthorized } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { spyOnDatabase } from '../support/table/spyOnDatabase.ts';

/** Stops this process's clock while `stoppedAt` is set. Hoisted, because modules keep references to `Date.now`. */
const clock = vi.hoisted(() => {
  const { now } = Date;
  const state: { stoppedAt?: number | undefined } = {};
  Date.now = () => state.stoppedAt ?? now();
  return state;
});

const chair = { name: 'Chair' };

const api = await startTestApi();
/** An item of the first account. */
const item = expectItem(await api.send(create(chair)), shownItem(), 1);

const issue = (expiresAt: number) => {
  const caller = { account: 'demo-1', user: 'ann', permissions: ['catalog:edit'] as const, expiresAt };
  const now = Date.now();
  return issueToken(api.database.for(timedContext(now + 60_000)), caller, now);
};
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const expired = await issue(inSeconds(-1));
const revoked = await issue(inSeconds(3_600));
await revokeTokens(api.database.for(timedContext(Date.now() + 60_000)), 'demo-1', ['id', revoked.entry.id]);
const tokens = {
  ...api.tokens,
  revoked: revoked.token,
  expired: expired.token,
};

describe('a request is rejected and writes nothing if it has', () => {
  const cases: readonly [string, () => string | readonly string[] | undefined, Refusal][] = [
    ['no Authorization', () => undefined, unauthorized],
    ['a revoked token', () => `Bearer ${tokens.revoked}`, unauthorized],
    ['an expired token', () => `Bearer ${tokens.expired}`, unauthorized],
    ['a bad and a good Authorization', () => ['Bearer cat_x', `Bearer ${tokens.editor}`], unauthorized],
    ['a token without catalog:edit', () => `Bearer ${tokens.reader}`, forbidden],
  ];

  it.each(cases)('%s', async (_, authorization, refusal) => {
    const headers = { authorization: authorization() };
    await expectRefused(api, [create(chair, headers), update(item, chair, headers)], refusal);
  });
});

it('only the token determines the account, the user and the permissions', async () => {
  const claims = { 'x-account-id': 'demo-2', 'x-user-id': 'ann', 'x-permissions': '', 'x-amzn-account': 'demo-2' };
  // The default tax of the second account is not 0.
  const id = expectItem(await api.send(create(chair, claims)), shownItem(), 1);
  expectItem(await api.send(update(id, { value: 1 }, claims)), shownItem({ value: 1 }), 2);
  const { pk, sk } = keys.item('demo-1', id);
  expect((await api.records())[`${pk} ${sk}`]).toMatchObject({ id, written_by: 'editor' });
  const claimed = update(id, { value: 2 }, { ...bearer(tokens.otherAccount), 'x-account-id': 'demo-1' });
  await expectRefused(api, claimed, itemNotFound);
});

describe('the database', () => {
  /** Keeps the logs of an expected failure out of the test's output. */
  function silenceLogs(): void {
    const gateway = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const functions = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => {
      gateway.mockRestore();
      functions.mockRestore();
    });
  }

  it.each([
    ['refuses access', new Error('secret'), { status: 500, code: 'INTERNAL_ERROR' }],
    ['is not reached in time', new CatalogError('SERVICE_UNAVAILABLE'), { status: 503, code: 'SERVICE_UNAVAILABLE' }],
  ] as const)('that %s fails the request of a function, and nothing is written', async (_, failure, refusal) => {
    silenceLogs();
    onTestFinished(() => {
      clock.stoppedAt = undefined;
    });
    // The policy that the gateway has cached must not expire between the requests.
    clock.stoppedAt = Date.now();
    await api.send(create(chair));
    const before = await api.records();
    spyOnDatabase(() => failure);
    expectRefusal(await api.send(update(item, { value: 5 })), refusal);
    expect(await api.records()).toEqual(before);
  });

  it('causes a 500, neither a rejection nor access, if the token cannot be looked up', async () => {
    silenceLogs();
    const before = await api.records();
    const send = spyOnDatabase();
    const failure = Object.assign(new Error('No access to the table'), { name: 'AccessDeniedException' });
    send.mockRejectedValueOnce(failure);
    const response = await api.send(create(chair, bearer(createToken())));
    expectRefusal(response, { status: 500, code: 'INTERNAL_ERROR' });
    expect(send).toHaveBeenCalledOnce();
    send.mockRestore();
    expect(await api.records()).toEqual(before);
  });
});
