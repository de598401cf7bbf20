import type { EpochMs } from '../item/epoch.ts';
import { timeouts } from './timeouts.ts';

/** Why a request was sent again or, with `moved`, a write was rebuilt, because another writer changed the item first. */
export const retryReasons = ['throttled', 'conflict', 'unknown', 'moved'] as const;
export type RetryReason = (typeof retryReasons)[number];

/** The database cost of a request so far. The store counts it; the handlers log it. */
export interface RequestStats {
  roundTrips: number;
  /** Total milliseconds spent waiting for the database. Concurrent waits each count in full. */
  databaseTime: number;
  readonly retries: Record<RetryReason, number>;
}

/** Database work with a deadline. */
export interface TimedContext {
  readonly deadline: EpochMs;
  readonly stats: RequestStats;
}

/** One request to the catalog, and the caller it is made for. */
export interface RequestContext extends TimedContext {
  readonly account: string;
  readonly user: string;
  /** The user's identity provider, if there is one. */
  readonly issuer?: string | undefined;
  /** Unique to this request. Every write stores it, so that a write whose response was lost can be recognised. */
  readonly writeId: string;
}

export const timedContext = (deadline: EpochMs): TimedContext => ({
  deadline,
  stats: { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
});

/** When a request is given up. @param left how long its function may still run from now on, in milliseconds */
export const deadlineOf = (now: EpochMs, left: number): EpochMs =>
  now + Math.min(timeouts.request, left - timeouts.responseMargin);
