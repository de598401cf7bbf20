import type { RetryReason, TimedContext } from '../../catalog/catalogStore.ts';
import { CatalogError } from '../../item/errors.ts';

/** What the retries need of the world; arguments, so that tests decide them. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Waits before another try, in milliseconds: at random between 0 and `base` doubled with each try, up to `cap` (full jitter). */
const patience: Readonly<Record<RetryReason, { base: number; cap: number; tries: number }>> = {
  conflict: { base: 20, cap: 400, tries: 6 },
  throttled: { base: 50, cap: 1_000, tries: 5 },
  unknown: { base: 50, cap: 1_000, tries: 5 },
  moved: { base: 20, cap: 400, tries: 5 },
};

/** DynamoDB settles a transaction that was left half done within 5 s; one more try after that gets a definite answer. */
const settled = 5_200;

/**
 * Repeats that a container may make beyond what its successes have earned, so that an outage is not answered with a
 * storm: each repeat spends one, each success earns a tenth, and no more than the beginning's are ever saved.
 */
export class RetryBudget {
  static readonly full = 100;
  /** In tenths of a repeat. */
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

/** The tries of one piece of work: counts them by reason and waits between them, within the request's deadline. */
export class Attempts {
  readonly #work: TimedContext;
  readonly #world: Clock;
  readonly #budget: RetryBudget;
  readonly #started: number;
  readonly #counts: Record<RetryReason, number> = { throttled: 0, conflict: 0, unknown: 0, moved: 0 };

  constructor(work: TimedContext, world: Clock, budget: RetryBudget) {
    this.#work = work;
    this.#world = world;
    this.#budget = budget;
    this.#started = world.now();
  }

  /** How often this reason has been met. */
  count(reason: RetryReason): number {
    return this.#counts[reason];
  }

  /**
   * Waits until the work may be tried again.
   * @param cause what failed, for the log
   * @throws CatalogError `SERVICE_UNAVAILABLE` when the tries, the budget or the time are used up
   */
  async backOff(reason: RetryReason, cause: unknown): Promise<void> {
    this.#counts[reason] += 1;
    const wait = this.#wait(reason);
    const { now, sleep } = this.#world;
    if (wait === undefined || now() + wait >= this.#work.deadline || !this.#budget.spend())
      throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
    this.#work.stats.retries[reason] += 1;
    await sleep(wait);
  }

  #wait(reason: RetryReason): number | undefined {
    const { base, cap, tries } = patience[reason];
    const count = this.#counts[reason];
    if (count <= tries) return this.#world.random() * Math.min(cap, base * 2 ** (count - 1));
    const untilSettled = this.#started + settled - this.#world.now();
    return reason === 'unknown' && untilSettled > 0 ? untilSettled : undefined;
  }
}
