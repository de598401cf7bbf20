import { useEffect, useRef, useState } from 'react';

/**
 * The state of something that takes a while. One thing is under way at a time: another one ends it, as does leaving the
 * page, and its answers no longer count.
 * @param failed what to show of an error
 * @returns also the state as of `now`, for what goes on after an answer
 */
export function useRun<State extends object>(ready: State, failed: (error: Error) => Partial<State>) {
  const [state, setState] = useState(ready);
  const now = useRef(state);
  const current = useRef(new AbortController());
  useEffect(() => () => current.current.abort(), []);
  function show(more: Partial<State>): void {
    now.current = { ...now.current, ...more };
    setState(now.current);
  }
  /** @returns whether nothing else has begun since */
  async function run(
    act: (show: (more: Partial<State>) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    current.current.abort();
    current.current = new AbortController();
    const { signal } = current.current;
    const showIfCurrent = (more: Partial<State>) => signal.aborted || show(more);
    await act(showIfCurrent, signal).catch((error) => showIfCurrent(failed(error)));
    return !signal.aborted;
  }
  return { state, now, show, run, abort: () => current.current.abort() };
}
