import { useEffect, useRef, useState } from 'react';
import type { CallerStorage, Client } from '../catalogClient.ts';
import { type FieldReport, type Mistake, type PreviewProgress, preview, type UndoProgress, undo } from '../undo.ts';

interface State {
  readonly step: 'ready' | 'looking' | 'looked' | 'undoing' | 'stopped' | 'done';
  readonly report: readonly FieldReport[];
  /** How far the look is. */
  readonly read?: PreviewProgress | undefined;
  readonly progress?: UndoProgress | undefined;
  /** Why it failed, or tries again. */
  readonly failure: string;
}

const ready: State = { step: 'ready', report: [], failure: '' };

/**
 * Undoes a mistake: first a look, then the undo, which can be stopped and goes on.
 * @example const undoing = useUndo(client, localStorage); // undoing.look(mistake), then undoing.start(mistake)
 */
export function useUndo(client: Client, storage: CallerStorage) {
  const [state, setState] = useState(ready);
  const stopped = useRef(new AbortController());
  useEffect(() => () => stopped.current.abort(), []);

  /** Does one thing at a time: what is under way ends. */
  async function run(act: (signal: AbortSignal, show: (state: State) => void) => Promise<void>): Promise<void> {
    stopped.current.abort();
    stopped.current = new AbortController();
    const { signal } = stopped.current;
    const show = (shown: State) => signal.aborted || setState(shown);
    try {
      await act(signal, show);
    } catch (error) {
      show({ ...ready, failure: (error as Error).message });
    }
  }

  return {
    ...state,
    /** Another mistake is typed: what was looked at is no longer meant. */
    reset: () => run(async (_, show) => show(ready)),
    look: (mistake: Mistake) =>
      run(async (signal, show) => {
        const looking = (read?: PreviewProgress) => show({ ...ready, step: 'looking', read });
        looking();
        const report = await preview(client, mistake, { signal, onProgress: looking });
        show({ ...ready, step: 'looked', report });
      }),
    start: (mistake: Mistake) =>
      run(async (signal, show) => {
        let last: State = { ...ready, step: 'undoing' };
        show(last);
        const onFailure = (error: unknown) => show({ ...last, failure: (error as Error).message });
        for await (const progress of undo(client, mistake, { storage, signal, onFailure })) {
          const { report, left } = progress;
          last = { ...ready, report, step: left > 0 ? 'undoing' : 'done', progress };
          show(last);
        }
      }),
    /** Leaves the rest for another `start`. */
    stop(): void {
      stopped.current.abort();
      setState((before) => ({ ...before, step: 'stopped' }));
    },
  };
}
