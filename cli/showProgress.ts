import yoctoSpinner from 'yocto-spinner';
import { printError } from './print.ts';

/** Milliseconds between updates: on a terminal, and in a log. */
const intervals = { terminal: 200, log: 30_000 };

/** Shows the progress of a long task on standard error, below what is printed meanwhile; in a log, as a new line. */
export async function showProgress<Done>(text: () => string, task: () => Promise<Done>): Promise<Done> {
  const spinner = process.stderr.isTTY ? yoctoSpinner() : undefined;
  const show = (): void => {
    if (spinner === undefined) printError(text());
    else if (spinner.isSpinning) spinner.text = text();
    else spinner.start(text());
  };
  const timer = setInterval(show, spinner === undefined ? intervals.log : intervals.terminal);
  try {
    return await task();
  } finally {
    clearInterval(timer);
    spinner?.stop();
  }
}
