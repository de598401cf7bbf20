import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../lib/store/database/retryPolicy.ts';
import type { Random } from './random.ts';

/** When every simulation begins, in milliseconds since 1970. */
const beginning = Date.UTC(2030, 0, 1);

interface Event {
  readonly time: number;
  readonly run: () => void | Promise<void>;
}

/**
 * Runs concurrent clients one event at a time in virtual time, so that a seed decides every interleaving and a history
 * can be replayed. An event is a request that reaches DynamoDB, a response that comes back, or the end of a wait.
 * DynamoDB's calls are atomic, so running them one after another covers every real outcome.
 */
export class Simulation implements Clock {
  /** The next event is at the end. Events with the same time run in the order in which they were added. */
  readonly #events: Event[] = [];
  readonly #random: Random;
  #time = beginning;

  constructor(random: Random) {
    this.#random = random;
  }

  now = (): number => Math.floor(this.#time);
  random = (): number => this.#random.next();
  sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => this.after(milliseconds, resolve));

  /** Does something after a number of virtual milliseconds. */
  after(milliseconds: number, run: Event['run']): void {
    const time = this.#time + milliseconds;
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as Event).time > time) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, { time, run });
  }

  /** Runs until all clients have ended. */
  async run(clients: readonly Promise<unknown>[]): Promise<void> {
    let running = true;
    const ended = Promise.all(clients).finally(() => {
      running = false;
    });
    // Until a client waits for an event, it runs in microtasks.
    for (await setImmediate(); running; await setImmediate()) await this.#step();
    await ended;
  }

  async #step(): Promise<void> {
    const next = this.#events.pop();
    if (next === undefined) throw new Error('The clients wait for something that is no event of the simulation');
    this.#time = Math.max(this.#time, next.time);
    await next.run();
  }
}
