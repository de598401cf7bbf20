/** Resolves after a time, of at most 24 days as timers have it, or as soon as the signal is aborted. */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  untilEnd(signal, (end) => {
    const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  });

/** Resolves at the next event of a type, or as soon as the signal is aborted. */
export const waitForEvent = (target: Listenable, type: string, signal: AbortSignal): Promise<void> =>
  untilEnd(signal, (end) => {
    target.addEventListener(type, end);
    return () => target.removeEventListener(type, end);
  });

/** Resolves after the page had time to draw. In a hidden page, it is not slowed down as timers are. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    // Jest's jsdom has none.
    if (typeof MessageChannel === 'undefined') return void setTimeout(resolve);
    const { port1, port2 } = new MessageChannel();
    Object.assign(port1, { onmessage: () => resolve(port1.close()) });
    port2.postMessage(undefined);
  });

export type Listenable = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

/** @param start calls what it is given at the end, and returns what stops it */
const untilEnd = (signal: AbortSignal, start: (end: () => void) => () => void): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = start(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
