/** How often a terminal shows it anew, and how often a log gets a line of it, in milliseconds. */
const intervals = { terminal: 200, log: 30_000 };

/**
 * Shows on standard error how far a long piece of work is: on a terminal in one line that is written over again,
 * elsewhere in a line now and then.
 * @param text how far it is at that moment
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
    /** To be called before anything else is written to the terminal. */
    clear,
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}
