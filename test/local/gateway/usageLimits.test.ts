import { expect, it, vi } from 'vitest';
import { usageLimits } from '../../../local/gateway/gatewayAuthorizer.ts';
import type { RouteMatch } from '../../../local/gateway/matchRoute.ts';

const route = (method: string) => ({ route: { resource: '/items', method } }) as RouteMatch;

it('each key has a token bucket for each method, which is filled at the rate of the plan', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const limitsOfMethods = { '/items/POST': { RateLimit: 2, BurstLimit: 1 } };
  const limit = usageLimits({ keys: new Set(['a', 'b']), limit: { RateLimit: 9, BurstLimit: 3 }, limitsOfMethods });
  const passes = (key: string, method: string) => {
    try {
      limit(key, route(method));
      return true;
    } catch (error) {
      expect(error).toMatchObject({ type: 'THROTTLED' });
      return false;
    }
  };
  expect([passes('a', 'POST'), passes('a', 'POST'), passes('b', 'POST')]).toEqual([true, false, true]);
  expect([1, 2, 3, 4].map(() => passes('a', 'GET'))).toEqual([true, true, true, false]);
  vi.advanceTimersByTime(500);
  expect([passes('a', 'POST'), passes('a', 'POST')]).toEqual([true, false]);
  vi.advanceTimersByTime(60_000);
  expect([passes('a', 'POST'), passes('a', 'POST')]).toEqual([true, false]);
});

it.each([undefined, 'unknown'])('a key that is not in the plan is refused: %s', (key) => {
  const limit = usageLimits({ keys: new Set(), limit: { RateLimit: 9, BurstLimit: 3 }, limitsOfMethods: {} });
  expect(() => limit(key, route('GET'))).toThrow(expect.objectContaining({ type: 'INVALID_API_KEY' }));
});
