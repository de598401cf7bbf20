import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../../cli/findProgram.ts';
import { CommandError } from '../../cli/print.ts';

export const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Launches a headless Chromium. @throws CommandError if there is none on the PATH */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = browsers.map(findProgram).find((found) => found !== undefined);
  if (executablePath === undefined) throw new CommandError(`None of ${browsers.join(', ')} is on the PATH.`);
  return chromium.launch({ executablePath });
}
