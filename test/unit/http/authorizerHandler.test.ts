import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { IdentityProvider, TokenRefusal, TokenStore } from '../../../lib/access/authorize.ts';
import type { Caller } from '../../../lib/access/caller.ts';
import { createToken } from '../../../lib/access/tokenFormat.ts';
import { authorizerHandler } from '../../../lib/http/authorizerHandler.ts';
import type { Observation } from '../../../lib/http/observation.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import { lambdaContext } from '../../support/lambda/gatewayEvent.ts';

const now = 1_000_000;
const token = createToken();
const ann: Caller = { account: 'acme', user: 'ann', permissions: ['catalog:edit'], expiresAt: 1_001 };
const arn = 'arn:aws:execute-api:eu-west-1:123456789012:api1/prod';

const requestEvent = (parts: object = {}) =>
  ({
    type: 'REQUEST',
    methodArn: `${arn}/PUT/api/v1/api/v1/items/7`,
    headers: { Authorization: `Bearer ${token}` },
    multiValueHeaders: { Authorization: [`Bearer ${token}`] },
    requestContext: { requestId: 'request-1' },
    ...parts,
  }) as unknown as APIGatewayRequestAuthorizerEvent;

const withHeader = (authorization: string) => requestEvent({ multiValueHeaders: { authorization: [authorization] } });

async function ask(
  event: APIGatewayRequestAuthorizerEvent,
  find: TokenStore['find'] = async () => ann,
  { remaining = 10_000, verify }: { remaining?: number; verify?: IdentityProvider['verify'] } = {},
) {
  const observed: Observation[] = [];
  const handler = authorizerHandler({
    tokens: { find },
    identity: verify && { verify },
    shareOf: (account) => `share of ${account}`,
    now: () => now,
    observe: (one) => observed.push(one),
  });
  const [answer] = await Promise.allSettled([handler(event, lambdaContext(remaining))]);
  return { answer, observed };
}

const letIn = {
  status: 'fulfilled',
  value: {
    principalId: 'ann',
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: `${arn}/*` }],
    },
    context: { account: 'acme', user: 'ann', permissions: 'catalog:edit', expiresAt: '1001' },
    usageIdentifierKey: 'share of acme',
  },
};
const turnedAway = { status: 'rejected', reason: new Error('Unauthorized') };
const stats = { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } };
const observation = {
  requestId: 'request-1',
  operation: 'authorizer',
  replayed: false,
  duration: 0,
  stats,
  cause: undefined,
};

describe('the authorizer', () => {
  it.each([
    ['all values of its headers', requestEvent()],
    ['headers alone', requestEvent({ multiValueHeaders: null })],
  ])('given %s allows a known token on the whole stage, with its caller and its account’s share', async (_, event) => {
    expect((await ask(event)).answer).toEqual(letIn);
  });

  it('rejects a token that identifies nobody', async () => {
    const { answer, observed } = await ask(requestEvent(), async () => undefined);
    expect(answer).toEqual(turnedAway);
    expect(observed).toMatchObject([{ status: 401, code: 'UNAUTHORIZED', account: undefined, stats }]);
  });

  it('fails if the store fails, which the gateway turns into a 5xx, never a 401 or access', async () => {
    const down = new Error('down');
    const { answer, observed } = await ask(requestEvent(), () => Promise.reject(down));
    expect(answer).toEqual({ status: 'rejected', reason: new Error('The token could not be checked') });
    expect(observed).toEqual([
      { ...observation, account: undefined, status: 500, code: 'INTERNAL_ERROR', cause: down },
    ]);
  });

  it('denies a user of the identity provider who has no account, which the gateway turns into 403', async () => {
    const verify = () => Promise.reject(new CatalogError('FORBIDDEN'));
    const { answer, observed } = await ask(withHeader('Bearer a.b.c'), undefined, { verify });
    expect(answer).toEqual({
      status: 'fulfilled',
      value: {
        principalId: 'nobody',
        policyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Deny', Action: 'execute-api:Invoke', Resource: `${arn}/*` }],
        },
      },
    });
    expect(observed).toMatchObject([{ status: 403, code: 'FORBIDDEN', account: undefined, cause: undefined }]);
  });

  it.each([
    ['cannot be reached', new Error('down')],
    ['is out of tries', new CatalogError('SERVICE_UNAVAILABLE')],
  ])('fails if the identity provider %s', async (_case, failure) => {
    const { answer, observed } = await ask(withHeader('Bearer a.b.c'), undefined, {
      verify: () => Promise.reject(failure),
    });
    expect(answer).toEqual({ status: 'rejected', reason: new Error('The token could not be checked') });
    expect(observed).toMatchObject([{ status: 500, code: 'INTERNAL_ERROR', cause: failure }]);
  });

  const refusing =
    (refusal: TokenRefusal): IdentityProvider['verify'] =>
    async (_token, refuse) =>
      refuse?.(refusal);
  const ofUser = { issuer: 'https://login.example.com', keyId: 'key-1', isUser: true } as const;

  it.each<[string, string, IdentityProvider['verify'], boolean | undefined, object | undefined]>([
    ['let in', 'Bearer a.b.c', async () => ann, false, undefined],
    ['refused', 'Bearer a.b.c', refusing({ reason: 'other audience', ...ofUser }), true, { reason: 'other audience' }],
    ['denied', 'Bearer a.b.c', () => Promise.reject(new CatalogError('FORBIDDEN')), true, undefined],
    ['not verified', 'Bearer a.b.c', () => Promise.reject(new Error('down')), true, undefined],
    ['one whose token has expired', 'Bearer a.b.c', refusing({ reason: 'expired' }), undefined, { reason: 'expired' }],
    ['somebody with a made-up key', 'Bearer a.b.c', refusing({ reason: 'unknown key' }), undefined, {}],
    ['a caller with one of our tokens', `Bearer ${token}`, async () => ann, undefined, { reason: 'unknown token' }],
    ['nobody', 'Basic a', async () => ann, undefined, { reason: 'no bearer token' }],
  ])('observes why, and whether a user of the identity provider is refused: %s', async (_, header, verify, is, why) => {
    const { observed } = await ask(withHeader(header), async () => undefined, { verify });
    expect(observed).toMatchObject([{ refusedUser: is, refusal: why }]);
  });

  it('gives the store the remaining time of the function minus 500 ms', async () => {
    const deadlines: number[] = [];
    const find: TokenStore['find'] = async ({ deadline }) => {
      deadlines.push(deadline);
      return ann;
    };
    await ask(requestEvent(), find, { remaining: 3_000 });
    await ask(requestEvent(), find, { remaining: 30_000 });
    expect(deadlines).toEqual([now + 2_500, now + 8_000]);
  });

  it('observes each request once, without its token', async () => {
    const withProvider = { verify: async () => ann };
    expect((await ask(requestEvent(), undefined, withProvider)).observed).toEqual([
      { ...observation, account: 'acme', status: 200, code: undefined },
    ]);
  });
});
