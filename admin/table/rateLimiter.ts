import type { Clock } from '../../lib/store/database/retryPolicy.ts';

/** Spreads work evenly over time, so that live traffic keeps the rest of the table's capacity. */
export class RateLimiter {
  /** Capacity units per second. */
  readonly rate: number;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  #next = 0;
  #spent = 0;
  /** The part of the rate that is used at present. */
  #share = 1;

  constructor(rate: number, clock: Pick<Clock, 'now' | 'sleep'>) {
    this.rate = rate;
    this.#clock = clock;
  }

  get spent(): number {
    return this.#spent;
  }

  /** Halves the rate, because the table is throttled. It recovers by 1 % with each further piece of work. */
  slowDown(): void {
    this.#share = Math.max(this.#share / 2, 1 / 64);
  }

  /** Runs a piece of work once the rate allows it. Reserves time for the expected units, and corrects it afterwards. */
  async run<Done>(
    expected: number,
    work: () => Promise<Done>,
    used: (done: Done) => number = () => expected,
  ): Promise<Done> {
    const now = this.#clock.now();
    const start = Math.max(this.#next, now);
    this.#next = start + (expected * 1_000) / (this.rate * this.#share);
    if (start > now) await this.#clock.sleep(start - now);
    const done = await work();
    this.#next += ((used(done) - expected) * 1_000) / this.rate;
    this.#spent += used(done);
    this.#share = Math.min(this.#share * 1.01, 1);
    return done;
  }
}
