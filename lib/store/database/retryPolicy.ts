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
  /** How often an attempt may fail for this reason before the next; left out: until the deadline. */
  readonly maxRetries?: number;
}

/**
 * Full jitter: each wait is a random part of the delay. Writers that merely meet (conflict, moved) all get their turn
 * before the deadline; what points to an outage (throttled, unknown) is given up earlier, and spends the budget.
 */
const retryPolicies: Readonly<Record<RetryReason, RetryPolicy>> = {
  conflict: { baseDelay: 20, maxDelay: 400 },
  throttled: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  unknown: { baseDelay: 50, maxDelay: 1_000, maxRetries: 5 },
  moved: { baseDelay: 20, maxDelay: 400 },
};

/**
 * Limits the retries of a container, so that an outage is not answered with a storm of them. Each retry after throttling
 * or a lost answer spends one, which is paid back if the work succeeds; each success earns a tenth, and no more than the
 * initial number is ever saved.
 */
export class RetryBudget {
  static readonly full = 100;
  /** In tenths of a retry. */
  #left = RetryBudget.full * 10;

  /** @param spent how many retries the success has taken */
  succeed(spent: number): void {
    this.#left = Math.min(RetryBudget.full * 10, this.#left + spent * 10 + 1);
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
  #spent = 0;

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
    if (delay === undefined || now() + delay >= this.#context.deadline || !this.#mayRetry(reason))
      throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
    this.#context.stats.retries[reason] += 1;
    await sleep(delay);
  }

  /** To be called when the work is done: what its retries have spent is paid back. */
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
