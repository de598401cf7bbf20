import { tell } from './tell.ts';

/**
 * A state that changes by what a user does and the service answers, for whoever shows it: React's `useSyncExternalStore`
 * takes `subscribe` and `getState` as they are, and so do Vue, Svelte, or a page without a library.
 */
export abstract class Machine<State> {
  #state: State;
  #underWay = new AbortController();
  #holders = 0;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  readonly getState = (): State => this.#state;

  /** @returns what ends the subscription */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Keeps it at work until the last one who holds it lets go, and does not take it up again at once.
   * @returns what lets go
   */
  readonly hold = (): (() => void) => {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      queueMicrotask(() => this.#holders === 0 && this.end());
    };
  };

  /** Ends what is under way, as when nobody shows it any more. */
  end(): void {
    this.#underWay.abort();
  }

  protected set(state: State): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) tell(listener);
  }

  /** Begins something in the place of what is under way. @returns aborted when something else begins */
  protected begin(): AbortSignal {
    this.#underWay.abort();
    this.#underWay = new AbortController();
    return this.#underWay.signal;
  }
}
