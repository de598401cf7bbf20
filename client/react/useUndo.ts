import type { CallerStorage, Client } from '../http/catalogClient.ts';
import {
  type FieldReport,
  type Mistake,
  type PreviewProgress,
  preview,
  type UndoProgress,
  undo,
} from '../undo/undo.ts';
import { useRun } from './useRun.ts';

interface State {
  readonly step: 'ready' | 'looking' | 'looked' | 'undoing' | 'stopped' | 'done';
  readonly report: readonly FieldReport[];
  /** How far the look is. */
  readonly read?: PreviewProgress | undefined;
  readonly progress?: UndoProgress | undefined;
  /** Why it failed, or tries again. */
  readonly failure: string;
}

const ready: State = { step: 'ready', report: [], read: undefined, progress: undefined, failure: '' };

/**
 * Undoes a mistake: first a look, then the undo, which can be stopped and goes on.
 * @example const undoing = useUndo(client, localStorage); // undoing.look(mistake), then undoing.start(mistake)
 */
export function useUndo(client: Client, storage: CallerStorage) {
  const { state, show, run, abort } = useRun(ready, ({ message }) => ({ ...ready, failure: message }));
  return {
    ...state,
    /** Another mistake is typed: what was looked at is no longer meant. */
    reset: () => run(async (show) => show(ready)),
    look: (mistake: Mistake) =>
      run(async (show, signal) => {
        show({ ...ready, step: 'looking' });
        const report = await preview(client, mistake, { storage, signal, onProgress: (read) => show({ read }) });
        show({ step: 'looked', report });
      }),
    start: (mistake: Mistake) =>
      run(async (show, signal) => {
        show({ ...ready, step: 'undoing' });
        const onFailure = (error: unknown) => show({ failure: (error as Error).message });
        for await (const progress of undo(client, mistake, { storage, signal, onFailure }))
          show({ step: progress.left > 0 ? 'undoing' : 'done', report: progress.report, progress, failure: '' });
      }),
    /** Leaves the rest for another `start`. */
    stop(): void {
      abort();
      show({ step: 'stopped' });
    },
  };
}
