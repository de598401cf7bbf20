import { type CallerStorage, type Client, loadCatalog, type RequestOptions } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { serviceOf } from '../storage/storedEntries.ts';
import { type UndoPreview, type UndoProgress, UndoRun } from './plan/runUndo.ts';
import type { RecordedState } from './plan/undoPlan.ts';
import { undoJournal } from './undoJournal.ts';
import { type Attempt, undoService } from './undoService.ts';
import { selectionOf, type UndoTarget } from './undoTarget.ts';

export interface PreviewOptions extends RequestOptions {
  readonly onProgress?: ((progress: RecordedState) => void) | undefined;
  /** That of the undos: what an earlier one has taken back is nobody's later change. */
  readonly storage?: CallerStorage | undefined;
}

export interface UndoOptions extends PollOptions {
  /** Keeps how to go on until all is done. With `localStorage`, another tab and another visit can go on. */
  readonly storage: CallerStorage | undefined;
}

/**
 * What an undo would do with each field, if none is open. Writes nothing. Right after an import, it waits until what that
 * has written is recorded, for 16 seconds at most.
 * @example const { report, summary } = await preview(client, target);
 * @throws RequestError with the status 410 if changes from that time on are no longer kept; RangeError if the target does
 * not end at a later time, which has passed, or names a field that there is not
 */
export async function preview(
  client: Client,
  target: UndoTarget,
  { storage, onProgress, ...options }: PreviewOptions = {},
): Promise<UndoPreview> {
  const selection = selectionOf(target);
  const service = undoService(client, target, (read) => read(options), options);
  const caller = storage && (await loadCatalog(client, options));
  const undone = caller && undoJournal(storage, serviceOf(client), caller, target).undone;
  return new UndoRun(selection, service, undone, onProgress).preview();
}

/**
 * Puts back what users have changed by mistake. Nothing that others have written is lost. If it is interrupted, call it
 * again with the same target and the same storage: it goes on. Done twice, it does nothing.
 * @returns the progress: after looks at the items, after batches, and at the end, when all that it has changed is
 * recorded. If it finds no change, it looks again for some seconds. It ends early when the signal is aborted
 * @example for await (const { updates, left } of undo(client, target, { storage: localStorage })) show(updates, left);
 * @throws RequestError with the status 410 if changes from that time on are no longer kept, 403 if the user may not write;
 * RangeError if the target does not end at a later time, which has passed, or names a field that there is not
 */
export async function* undo(
  client: Client,
  target: UndoTarget,
  { storage, ...options }: UndoOptions,
): AsyncGenerator<UndoProgress, void> {
  const attempt: Attempt = async (read) => {
    const result = await retryUntilDone(() => read(options), { ...options, inBackground: true });
    if (result === undefined) throw options.signal?.reason;
    return result;
  };
  const selection = selectionOf(target);
  try {
    const caller = await attempt((sending) => loadCatalog(client, sending));
    const journal = undoJournal(storage, serviceOf(client), caller, target);
    const run = new UndoRun(selection, undoService(client, target, attempt, options), journal.undone);
    let isOver = false;
    const keep = () => journal.keep(run.made, isOver);
    // At once: whoever signs out forgets it then.
    options.signal?.addEventListener('abort', keep);
    try {
      for await (const progress of run.start()) {
        isOver = progress.left === 0 && progress.rejected.size === 0;
        journal.keepWhenDue(run.made);
        yield progress;
      }
    } finally {
      options.signal?.removeEventListener('abort', keep);
      if (options.signal?.aborted !== true) keep();
    }
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
  }
}
