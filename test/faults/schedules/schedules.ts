import { valueOption, wholeNumber } from '../../../cli/options.ts';
import { createProgram, runCommand } from '../../../cli/runCommand.ts';
import { showProgress } from '../../../cli/showProgress.ts';
import { explore } from './explore.ts';
import { besideOldWriter, pairs } from './pairs.ts';

const description =
  'Every schedule of two requests on one item or one code, and of two beside an old version: all orders in which their requests to DynamoDB can arrive, with at most ' +
  'so many faults anywhere. A schedule that breaks a promise is printed, and its pair is left.';

const all = [...pairs, besideOldWriter];

/** @returns the exit code */
async function exploreAll(faults: number): Promise<number> {
  let done = 0;
  let schedules = 0;
  let broken = 0;
  const endProgress = showProgress(() => `${done} of ${all.length} pairs, ${schedules} schedules`);
  try {
    for (const pair of all) {
      const onSchedule = (): void => {
        schedules += 1;
      };
      // Nothing but values tells two requests of one kind apart.
      const eitherAhead = !pair.isAlike;
      const explored = await explore({ scenario: pair, faults, eitherAhead, onSchedule });
      done += 1;
      const { violation, outcomes } = explored;
      console.log(`${pair.name}: ${explored.schedules} schedules, ${outcomes} outcomes`);
      if (violation === undefined) continue;
      broken += 1;
      console.log(`  ${violation.trace.join('\n  ')}\n  => ${violation.violations.join('\n  => ')}`);
    }
  } finally {
    endProgress();
  }
  console.log(
    `${schedules} schedules of ${all.length} pairs with at most ${faults} faults; ${broken} pairs break a promise`,
  );
  return broken > 0 ? 1 : 0;
}

const program = createProgram('npm run nightly -- schedules', description);
program
  .addOption(
    valueOption(
      '--faults <number>',
      'how many things go wrong in a schedule, at the most',
      wholeNumber(0, 100),
    ).default(2),
  )
  .action(async ({ faults }) => {
    process.exitCode = await exploreAll(faults);
  });
await runCommand(program);
