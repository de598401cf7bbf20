import type { RetryReason, TimedContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { CatalogError } from '../../item/errors.ts';

/** Time and chance, as arguments, so that tests decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

interface RetryPolicy {
  /** The longest wait before the second attempt, in milliseconds; it doubles with each further one. */
  readonly baseDelay: number;
  readonly maxDelay: number;
  /** How often an attempt may fail for this reason before the next. */
  readonly maxRetries: number;
}

/** Full jitter: each wait is a random part of the delay. */
const retryPolicies: Readonly<Record<RetryReason, RetryPolicy>> = {
  conflict: { baseDelay: 20, maxDelay: 400, maxRetries: 6 },
  throttled: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  unknown: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  moved: { baseDelay: 20, maxDelay: 400, maxRetries: 5 },
};

/**
 * Limits the retries of a container, so that an outage is not answered with a storm of them. Each retry spends one, each
 * success earns a tenth, and no more than the initial number is ever saved.
 */
export class RetryBudget {
  static readonly full = 100;
  /** In tenths of a retry. */
  #left = RetryBudget.full * 10;

  earn(): void {
    this.#left = Math.min(RetryBudget.full * 10, this.#left + 1);
  }

  /** @returns whether there was one to spend */
  spend(): boolean {
    if (this.#left < 10) return false;
    this.#left -= 10;
    return true;
  }
}

/** The attempts at one piece of work: counts the failed ones by reason, and waits between them, within the deadline. */
export class Attempts {
  readonly #context: TimedContext;
  readonly #clock: Clock;
  readonly #budget: RetryBudget;
  readonly #started: number;
  readonly #counts: Record<RetryReason, number> = { throttled: 0, conflict: 0, unknown: 0, moved: 0 };

  constructor(context: TimedContext, clock: Clock, budget: RetryBudget) {
    this.#context = context;
    this.#clock = clock;
    this.#budget = budget;
    this.#started = clock.now();
  }

  /** How many attempts have failed for this reason. */
  count(reason: RetryReason): number {
    return this.#counts[reason];
  }

  /**
   * Waits until the next attempt.
   * @param cause what failed, for the log
   * @throws CatalogError `SERVICE_UNAVAILABLE` when the attempts, the budget or the time are used up
   */
  async backOff(reason: RetryReason, cause: unknown): Promise<void> {
    this.#counts[reason] += 1;
    const delay = this.#delay(reason);
    const { now, sleep } = this.#clock;
    if (delay === undefined || now() + delay >= this.#context.deadline || !this.#budget.spend())
      throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
    this.#context.stats.retries[reason] += 1;
    await sleep(delay);
  }

  #delay(reason: RetryReason): number | undefined {
    const { baseDelay, maxDelay, maxRetries } = retryPolicies[reason];
    const count = this.#counts[reason];
    if (count <= maxRetries) return this.#clock.random() * Math.min(maxDelay, baseDelay * 2 ** (count - 1));
    const untilSettled = this.#started + timeouts.transactionSettling - this.#clock.now();
    return reason === 'unknown' && untilSettled > 0 ? untilSettled : undefined;
  }
}
