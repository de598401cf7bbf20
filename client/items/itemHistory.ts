import type { Client } from '../http/catalogClient.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { Store } from '../state/store.ts';
import { type Change, listItemChanges } from './followChanges.ts';

/**
 * Who has changed an item, newest first.
 * @example const history = new ItemHistory(); const stop = history.read(client, 7);
 */
export class ItemHistory extends Store<{ readonly id: number; readonly changes: readonly Change[] }> {
  constructor() {
    super({ id: 0, changes: [] });
  }

  /**
   * Reads the newest changes of an item, until it has them.
   * @param options how many of them `count` is, by default 20
   * @returns a function that stops it
   */
  readonly read = (
    client: Client,
    id: number,
    { count = 20 }: { readonly count?: number | undefined } = {},
  ): (() => void) => {
    const options = { signal: this.startTask(), background: true };
    const read = async (): Promise<void> => {
      const changes: Change[] = [];
      for await (const change of listItemChanges(client, id, options)) if (changes.push(change) === count) break;
      if (!options.signal.aborted) this.setState({ id, changes });
    };
    // Whoever may not read it sees no history.
    retryUntilDone(read, options).catch(() => undefined);
    return () => this.dispose();
  };
}
