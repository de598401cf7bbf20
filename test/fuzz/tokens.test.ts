import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import * as fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { authorizerHandler } from '../../lib/http/authorizerHandler.ts';
import type { Observation } from '../../lib/http/observation.ts';
import { identityProvider } from '../../lib/identity/identityProvider.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { signingKey } from '../support/api/signToken.ts';
import { startIssuer } from '../support/api/testIssuer.ts';
import { lambdaContext } from '../support/lambda/proxyEvent.ts';
import { fuzzToken } from './fuzzToken.ts';

const tokens = 2_000;

const issuer = await startIssuer();
const stranger = signingKey('ES256', issuer.keys[0]?.kid);
afterAll(() => issuer.close());

/** An authorizer in a container of its own, whose clock stands still, and the status that each token had. */
function openAuthorizer() {
  const statuses: number[] = [];
  const now = Date.now();
  const settings = identitySettings.parse({
    issuer: issuer.url,
    audience: 'catalog',
    claims: { permissions: 'scope' },
  });
  const handler = authorizerHandler({
    tokens: { find: async () => undefined },
    identity: identityProvider(settings, { now: () => now }),
    now: () => now,
    observe: ({ status }: Observation) => statuses.push(status),
  });
  const send = async (token: string): Promise<number | undefined> => {
    const event = {
      methodArn: 'arn:a/live/POST/items',
      headers: { authorization: `Bearer ${token}` },
      requestContext: { requestId: 'request-1' },
    } as unknown as APIGatewayRequestAuthorizerEvent;
    await handler(event, lambdaContext()).catch(() => undefined);
    return statuses.at(-1);
  };
  return { send };
}

it('hostile tokens are accepted, forbidden or rejected, each at least once, and never cause a 5xx', async () => {
  const { send } = openAuthorizer();
  const before = issuer.requests;
  const given = new Set<number | undefined>();
  await fc.assert(
    fc.asyncProperty(fuzzToken(issuer, stranger), async ({ text, isGenuine }) => {
      const status = await send(text);
      expect(isGenuine ? [200, 401, 403] : [401]).toContain(status);
      given.add(status);
    }),
    { numRuns: tokens },
  );
  expect([...given].sort()).toEqual([200, 401, 403]);
  // When it started, and for the first key that is not known.
  expect(issuer.requests - before).toBeLessThanOrEqual(2);
});
