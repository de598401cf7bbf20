import type { RetryReason, TimedContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';

/** Time and randomness, passed in so that tests can control them. */
export interface Clock {
  readonly now: () => EpochMs;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Resolves after a number of milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface RetryPolicy {
  /** The longest wait before the second attempt, in milliseconds. It doubles with each further attempt. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** Maximum number of retries for this reason. If omitted, retries continue until the deadline. */
  readonly maxRetries?: number;
}

/**
 * Full jitter: each wait is a random part of the delay. Writes that only conflict with each other (conflict, moved) are
 * retried until the deadline. Reasons that can mean an outage (throttled, unknown) give up earlier, and use the budget.
 */
const retryPolicies: Readonly<Record<RetryReason, RetryPolicy>> = {
  conflict: { baseDelay: 20, maxDelay: 400 },
  throttled: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  unknown: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  moved: { baseDelay: 20, maxDelay: 400 },
};

/**
 * Limits the retries of a container, so that an outage does not cause a storm of them. Each retry after throttling or a
 * lost response takes one from the budget, and returns it if the work succeeds. Each success adds a tenth of a retry. The
 * budget never exceeds its initial size.
 */
export class RetryBudget {
  static readonly full = 100;
  /** In tenths of a retry. */
  #left = RetryBudget.full * 10;

  /** @param spent number of retries to return */
  succeed(spent: number): void {
    this.#left = Math.min(RetryBudget.full * 10, this.#left + spent * 10 + 1);
  }

  /** @returns false if the budget is used up */
  spend(): boolean {
    if (this.#left < 10) return false;
    this.#left -= 10;
    return true;
  }
}

/** The attempts at one piece of work. Counts failures by reason, and waits between attempts, within the deadline. */
export class Attempts {
  readonly #context: TimedContext;
  readonly #clock: Clock;
  readonly #budget: RetryBudget;
  readonly #started: number;
  readonly #counts: Record<RetryReason, number> = { throttled: 0, conflict: 0, unknown: 0, moved: 0 };
  #spent = 0;

  constructor(context: TimedContext, clock: Clock, budget: RetryBudget) {
    this.#context = context;
    this.#clock = clock;
    this.#budget = budget;
    this.#started = clock.now();
  }

  count(reason: RetryReason): number {
    return this.#counts[reason];
  }

  /** @param cause for the log @throws CatalogError `SERVICE_UNAVAILABLE` without attempts, budget or time left */
  async backOff(reason: RetryReason, cause: unknown): Promise<void> {
    this.#counts[reason] += 1;
    const delay = this.#delay(reason);
    const { now, sleep } = this.#clock;
    if (delay === undefined || now() + delay >= this.#context.deadline || !this.#mayRetry(reason))
      throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
    this.#context.stats.retries[reason] += 1;
    await sleep(delay);
  }

  /** Call this when the work is done. It returns its retries to the budget. */
  succeed(): void {
    this.#budget.succeed(this.#spent);
  }

  #mayRetry(reason: RetryReason): boolean {
    if (reason === 'conflict' || reason === 'moved') return true;
    if (!this.#budget.spend()) return false;
    this.#spent += 1;
    return true;
  }

  #delay(reason: RetryReason): number | undefined {
    const { baseDelay, maxDelay, maxRetries = Number.POSITIVE_INFINITY } = retryPolicies[reason];
    const count = this.#counts[reason];
    if (count <= maxRetries) return this.#clock.random() * Math.min(maxDelay, baseDelay * 2 ** (count - 1));
    const untilSettled = this.#started + timeouts.transactionSettling - this.#clock.now();
    return reason === 'unknown' && untilSettled > 0 ? untilSettled : undefined;
  }
}
