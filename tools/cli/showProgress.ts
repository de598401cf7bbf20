/** Milliseconds between updates: on a terminal, and in a log. */
const intervals = { terminal: 200, log: 30_000 };

/**
 * Shows the progress of a long task on standard error: in one line that is overwritten if it is a terminal, otherwise
 * in a new line from time to time.
 * @param text returns the current progress
 */
export function showProgress(text: () => string): { clear(): void; end(): void } {
  const { isTTY = false, columns } = process.stderr;
  const clear = () => {
    if (isTTY) process.stderr.write('\r\x1b[K');
  };
  const show = () => {
    clear();
    process.stderr.write(isTTY ? text().slice(0, columns - 1) : `${text()}\n`);
  };
  const timer = setInterval(show, isTTY ? intervals.terminal : intervals.log);
  return {
    /** Call it before writing anything else to the terminal. */
    clear,
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}
