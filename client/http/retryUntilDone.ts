import { notify } from '../state/notify.ts';
import { RequestError, type RequestOptions } from './catalogClient.ts';
import { type Listenable, wait, waitForEvent } from './wait.ts';

/** Abort its signal at sign-out, and when what is kept current goes away. It then ends, and throws nothing. */
export interface PollOptions extends RequestOptions {
  /** Milliseconds between two requests. */
  readonly interval?: number | undefined;
  /** Whether to go on while the page is hidden. */
  readonly inBackground?: boolean | undefined;
  /** Called with each failure after which it tries again, such as a 401 until the user has signed in. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

const never = new AbortController().signal;

/** Whether a request that got this status may get another one later, by itself or once the user has signed in. */
export const isTransient = (status: number): boolean => status >= 500 || [0, 401, 408, 425, 429].includes(status);

/**
 * Tries until it succeeds, at the pace of {@link nextTurn}.
 * @returns undefined once the signal is aborted
 * @throws RequestError if it is refused for good
 */
export async function retryUntilDone<Result>(
  act: () => Promise<Result>,
  options: PollOptions,
): Promise<Result | undefined> {
  const { signal = never } = options;
  while (!signal.aborted) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof RequestError && isTransient(error.status))) throw error;
      notify(options.onFailure, error);
      await nextTurn(options);
    }
  }
  return undefined;
}

/** Waits for the interval, and then until the page is visible, if there is a page. */
export async function nextTurn({
  signal = never,
  interval = 10_000,
  inBackground = false,
}: PollOptions): Promise<void> {
  await wait(interval, signal);
  const { document: page } = globalThis as { document?: Listenable & { readonly hidden: boolean } };
  while (page?.hidden === true && !inBackground && !signal.aborted)
    await waitForEvent(page, 'visibilitychange', signal);
}
