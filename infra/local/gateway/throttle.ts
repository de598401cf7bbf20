/** A stage's limit: tokens come in at a rate, up to a burst, and each request takes one. */
export class Throttle {
  readonly #rate: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  /**
   * @param limit requests a second, and requests at once
   * @param now milliseconds
   */
  constructor({ rate, burst }: { readonly rate: number; readonly burst: number }, now: number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Whether another request may pass now. */
  pass(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#filledAt) / 1000) * this.#rate);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
