/** Why a message to the database was sent again, or a write was built again. */
export const retryReasons = ['throttled', 'conflict', 'unknown', 'moved'] as const;
export type RetryReason = (typeof retryReasons)[number];

/** What a request has cost so far: counted by the store, logged by the handlers. */
export interface RequestStats {
  roundTrips: number;
  /** Milliseconds for which answers of the database were awaited; those awaited at the same time count each by itself. */
  databaseTime: number;
  readonly retries: Record<RetryReason, number>;
}

/** Work on the database that must end in time. */
export interface TimedContext {
  /** When to give up, in milliseconds since 1970. */
  readonly deadline: number;
  readonly stats: RequestStats;
}

/** One request to the catalog, and on whose behalf it is made. */
export interface RequestContext extends TimedContext {
  readonly account: string;
  readonly user: string;
  /** Unique to this request. Every write stores it, so that a write whose answer was lost can be recognised. */
  readonly writeId: string;
}

/**
 * A context that has cost nothing yet.
 * @param deadline when to give up, in milliseconds since 1970
 */
export const timedContext = (deadline: number): TimedContext => ({
  deadline,
  stats: { roundTrips: 0, databaseTime: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
});
