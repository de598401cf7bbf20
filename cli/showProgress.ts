import yoctoSpinner from 'yocto-spinner';
import { printError } from './print.ts';

/** Milliseconds between updates: on a terminal, and in a log. */
const intervals = { terminal: 200, log: 30_000 };

/**
 * Shows the progress of a long task on standard error, below what is printed meanwhile; in a log, as a new line.
 * @returns ends it
 */
export function showProgress(text: () => string): () => void {
  if (!process.stderr.isTTY) {
    const timer = setInterval(() => printError(text()), intervals.log);
    return () => clearInterval(timer);
  }
  const spinner = yoctoSpinner();
  const show = (): void => {
    if (spinner.isSpinning) spinner.text = text();
    else spinner.start(text());
  };
  const timer = setInterval(show, intervals.terminal);
  return () => {
    clearInterval(timer);
    spinner.stop();
  };
}
