import type { Limit, UsagePlan } from '../template/readUsagePlan.ts';
import { GatewayError } from './gatewayError.ts';
import type { RouteMatch } from './matchRoute.ts';

/** @throws GatewayError if the key is not in the plan, or sends more requests for a method than it may */
export type LimitUsage = (key: string | undefined, match: RouteMatch) => void;

/** Limits requests as API Gateway does, by a token bucket for each key and method. */
export function usageLimits({ keys, limit, limitsOfMethods }: UsagePlan): LimitUsage {
  const buckets = new Map<string, () => boolean>();
  return (key, { route: { resource, method } }) => {
    if (key === undefined || !keys.has(key)) throw new GatewayError('INVALID_API_KEY');
    const name = `${resource}/${method}`;
    const take = buckets.get(`${key} ${name}`) ?? tokenBucket(limitsOfMethods[name] ?? limit);
    buckets.set(`${key} ${name}`, take);
    if (!take()) throw new GatewayError('THROTTLED');
  };
}

/** @returns a function that takes a token, and returns whether there was one */
function tokenBucket({ RateLimit, BurstLimit }: Limit): () => boolean {
  let tokens = BurstLimit;
  let filledAt = performance.now();
  return () => {
    const now = performance.now();
    tokens = Math.min(BurstLimit, tokens + ((now - filledAt) / 1_000) * RateLimit);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
