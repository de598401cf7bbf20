import type { Client } from '../http/catalogClient.ts';
import { type Notice, noticeOf } from '../http/messages.ts';
import { Store } from '../state/store.ts';
import type { UndoPreview, UndoProgress } from './plan/runUndo.ts';
import type { RecordedState } from './plan/undoPlan.ts';
import { preview, type UndoOptions, undo } from './undoChanges.ts';
import type { UndoTarget } from './undoTarget.ts';

/** The steps of an undo, each with what is known in it. */
export type UndoState =
  | { readonly step: 'ready' }
  | { readonly step: 'previewing'; readonly read: RecordedState | undefined }
  | ({ readonly step: 'previewed' } & UndoPreview)
  /** With why it tries again, if it does. */
  | { readonly step: 'undoing'; readonly progress: UndoProgress | undefined; readonly failure: Notice | undefined }
  | { readonly step: 'paused' | 'done'; readonly progress: UndoProgress | undefined }
  | { readonly step: 'failed'; readonly failure: Notice };

export interface UndoStoreOptions extends Pick<UndoOptions, 'storage'> {
  readonly client: Client;
}

/**
 * Undoes changes: first a preview, then the undo, which can be paused and goes on.
 * @example const undoing = new Undo({ client, storage: localStorage }); await undoing.preview(target); await undoing.start(target);
 */
export class Undo extends Store<UndoState> {
  #options: UndoStoreOptions;

  constructor(options: UndoStoreOptions) {
    super({ step: 'ready' });
    this.#options = options;
  }

  /** Takes other options from the next act on. */
  readonly setOptions = (more: Partial<UndoStoreOptions>): void => {
    this.#options = { ...this.#options, ...more };
  };

  /** Forgets the preview, such as when other changes are chosen. */
  readonly reset = (): void => {
    this.startTask();
    this.setState({ step: 'ready' });
  };

  readonly preview = (target: UndoTarget): Promise<void> =>
    this.#run(async (signal, show) => {
      show({ step: 'previewing', read: undefined });
      const onProgress = (read: RecordedState) => show({ step: 'previewing', read });
      const { client, storage } = this.#options;
      show({ step: 'previewed', ...(await preview(client, target, { storage, signal, onProgress })) });
    });

  readonly start = (target: UndoTarget): Promise<void> =>
    this.#run(async (signal, show) => {
      let progress: UndoProgress | undefined;
      const { client, storage } = this.#options;
      const onFailure = (error: unknown) => show({ step: 'undoing', progress, failure: noticeOf(error) });
      show({ step: 'undoing', progress, failure: undefined });
      for await (progress of undo(client, target, { storage, signal, onFailure }))
        show({ step: 'undoing', progress, failure: undefined });
      show({ step: 'done', progress });
    });

  /** Leaves the rest for another `start`. */
  readonly pause = (): void => {
    const state = this.getState();
    this.startTask();
    this.setState({ step: 'paused', progress: 'progress' in state ? state.progress : undefined });
  };

  /** As when its page is left: what is under way stops. */
  protected override end(): void {
    if (this.getState().step === 'undoing') this.pause();
    else if (this.getState().step === 'previewing') this.reset();
  }

  async #run(act: (signal: AbortSignal, show: (state: UndoState) => void) => Promise<void>): Promise<void> {
    const signal = this.startTask();
    const show = (state: UndoState) => {
      if (!signal.aborted) this.setState(state);
    };
    await act(signal, show).catch((error) => show({ step: 'failed', failure: noticeOf(error) }));
  }
}
