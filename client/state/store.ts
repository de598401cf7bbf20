import { notify } from './notify.ts';

/**
 * A state that changes by what a user does and the service answers, for whoever shows it: React's `useSyncExternalStore`
 * takes `subscribe` and `getState` as they are, and so do Vue, Svelte, or a page without a library. All acts are properties,
 * since a method of the class would not work through a proxy, such as Vue's `ref` puts around what it keeps.
 */
export abstract class Store<State> {
  #state: State;
  #task = new AbortController();
  #holders = 0;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  readonly getState = (): State => this.#state;

  /** Calls the listener after each change. @returns `unsubscribe` */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /**
   * Disposes of it once the last holder has released it, unless another one retains it at once.
   * @returns `release`
   */
  readonly retain = (): (() => void) => {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      queueMicrotask(() => this.#holders === 0 && this.dispose());
    };
  };

  /** Ends what is under way, as when nobody shows it any more. */
  readonly dispose = (): void => this.end();

  protected end(): void {
    this.#task.abort();
  }

  protected setState(state: State): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) notify(listener);
  }

  /** Starts a task in place of the current one. @returns a signal that is aborted when the next one starts */
  protected startTask(): AbortSignal {
    this.#task.abort();
    this.#task = new AbortController();
    return this.#task.signal;
  }
}
