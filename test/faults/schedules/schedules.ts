import { readOptions, wholeNumber } from '../../../tools/cli/arguments.ts';
import { runCommand } from '../../../tools/cli/runCommand.ts';
import { showProgress } from '../../../tools/cli/showProgress.ts';
import { explore } from './explore.ts';
import { pairs } from './pairs.ts';

const help = `Every schedule of two requests on one item or one code: all orders in which their messages can arrive, with at most
so many faults anywhere. A schedule that breaks a promise is printed, and its pair is left.

  npm run schedules -- [options]

  --faults N      how many things go wrong in a schedule, at the most: 2 unless given
  --help          show this

Exit code: 0 all promises are kept, 1 one is broken, 2 wrong arguments.`;

const options = { faults: { type: 'string' }, help: { type: 'boolean' } } as const;

/** @returns the exit code */
async function exploreAll(faults: number): Promise<number> {
  let done = 0;
  let schedules = 0;
  let broken = 0;
  const progress = showProgress(() => `${done} of ${pairs.length} pairs, ${schedules} schedules`);
  try {
    for (const pair of pairs) {
      const onSchedule = (): void => {
        schedules += 1;
      };
      const explored = await explore({ pair, faults, onSchedule });
      done += 1;
      const { violation, outcomes } = explored;
      progress.clear();
      console.log(`${pair.name}: ${explored.schedules} schedules, ${outcomes} outcomes`);
      if (violation === undefined) continue;
      broken += 1;
      console.log(`  ${violation.trace.join('\n  ')}\n  => ${violation.violations.join('\n  => ')}`);
    }
  } finally {
    progress.end();
  }
  console.log(
    `${schedules} schedules of ${pairs.length} pairs with at most ${faults} faults; ${broken} pairs break a promise`,
  );
  return broken > 0 ? 1 : 0;
}

await runCommand(async (args) => {
  const { faults, help: helpWanted } = readOptions(args, options);
  if (helpWanted) {
    console.log(help);
    return 0;
  }
  return exploreAll(wholeNumber('faults', faults, { initial: 2, least: 0 }));
});
