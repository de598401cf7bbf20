import { type CallerStorage, type Client, type Notice, noticeOf } from '../http/catalogClient.ts';
import { Store } from '../state/store.ts';
import { type FieldReport, type Mistake, type PreviewProgress, preview, type UndoProgress, undo } from './undo.ts';

/** What an undo is at, each with what it has by then. */
export type UndoState =
  | { readonly step: 'ready' }
  | { readonly step: 'looking'; readonly read: PreviewProgress | undefined }
  | { readonly step: 'looked'; readonly report: readonly FieldReport[] }
  /** With why it tries again, if it does. */
  | { readonly step: 'undoing'; readonly progress: UndoProgress | undefined; readonly failure: Notice | undefined }
  | { readonly step: 'stopped' | 'done'; readonly progress: UndoProgress | undefined }
  | { readonly step: 'failed'; readonly failure: Notice };

/**
 * Undoes a mistake: first a look, then the undo, which can be stopped and goes on.
 * @example const undoing = new MistakeUndo(client, localStorage); await undoing.look(mistake); await undoing.start(mistake);
 */
export class MistakeUndo extends Store<UndoState> {
  #client: Client;
  #storage: CallerStorage | undefined;

  constructor(client: Client, storage: CallerStorage | undefined) {
    super({ step: 'ready' });
    this.#client = client;
    this.#storage = storage;
  }

  /** Takes another client from the next act on. */
  readonly setOptions = (client: Client, storage: CallerStorage | undefined): void => {
    this.#client = client;
    this.#storage = storage;
  };

  /** Another mistake is typed: what was looked at is no longer meant. */
  readonly reset = (): void => {
    this.startTask();
    this.setState({ step: 'ready' });
  };

  readonly look = (mistake: Mistake): Promise<void> =>
    this.#run(async (signal, show) => {
      show({ step: 'looking', read: undefined });
      const onProgress = (read: PreviewProgress) => show({ step: 'looking', read });
      const options = { storage: this.#storage, signal, onProgress };
      show({ step: 'looked', report: await preview(this.#client, mistake, options) });
    });

  readonly start = (mistake: Mistake): Promise<void> =>
    this.#run(async (signal, show) => {
      let progress: UndoProgress | undefined;
      const onFailure = (error: unknown) => show({ step: 'undoing', progress, failure: noticeOf(error) });
      show({ step: 'undoing', progress, failure: undefined });
      for await (progress of undo(this.#client, mistake, { storage: this.#storage, signal, onFailure }))
        show({ step: 'undoing', progress, failure: undefined });
      show({ step: 'done', progress });
    });

  /** Leaves the rest for another `start`. */
  readonly stop = (): void => {
    const state = this.getState();
    this.startTask();
    this.setState({ step: 'stopped', progress: 'progress' in state ? state.progress : undefined });
  };

  /** As when its page is left: what is under way stops. */
  override dispose(): void {
    if (this.getState().step === 'undoing') this.stop();
    else if (this.getState().step === 'looking') this.reset();
  }

  async #run(act: (signal: AbortSignal, show: (state: UndoState) => void) => Promise<void>): Promise<void> {
    const signal = this.startTask();
    const show = (state: UndoState) => {
      if (!signal.aborted) this.setState(state);
    };
    await act(signal, show).catch((error) => show({ step: 'failed', failure: noticeOf(error) }));
  }
}
