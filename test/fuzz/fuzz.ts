/**
 * Sends hostile events to the handlers, by the million if asked to. They come in rounds, each with a seed and a table of
 * its own. A failing event ends its round, and is shrunk and printed with the command that repeats the round.
 */

import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { startOwnEngine } from '../support/table/ownEngine.ts';
import { fuzzRound } from './fuzzRound.ts';
import { cpuLimit } from './fuzzTarget.ts';

const roundSize = 5_000;
/** How many characters of a failure are printed. */
const maxPrinted = 20_000;

async function fuzz(total: number, firstSeed: number): Promise<number> {
  setLocalCredentials();
  console.log(`${total} events from seed ${firstSeed}`);
  const engine = await startOwnEngine();
  const started = performance.now();
  const outcomes = new Map<string, number>();
  let done = 0;
  let failed = 0;
  let mostCpu = 0;
  const perSecond = () => Math.round((done * 1_000) / (performance.now() - started));
  const endProgress = showProgress(
    () => `${done} of ${total} events, ${perSecond()} a second, ${failed} rounds failed`,
  );
  try {
    for (let round = 0; round * roundSize < total; round += 1) {
      const [seed, runs] = [firstSeed + round, Math.min(roundSize, total - round * roundSize)];
      const { failures, ...seen } = await fuzzRound({ seed, runs, engine, onRun: () => (done += 1) });
      for (const failure of failures) console.log(`\n${failure.slice(0, maxPrinted)}`);
      if (failures.length > 0) {
        failed += 1;
        console.log(`Repeat: npm run nightly -- fuzz --seed ${seed} --runs ${runs}`);
      }
      mostCpu = Math.max(mostCpu, seen.mostCpu);
      for (const [outcome, count] of seen.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }
  } finally {
    endProgress();
    await engine.stop();
  }
  console.table(Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))));
  const cpu = `at most ${Math.round((100 * mostCpu) / cpuLimit)} % of the CPU limit`;
  console.log(`${done} events, ${failed} rounds failed; ${perSecond()} a second; ${cpu}`);
  return failed > 0 ? 1 : 0;
}

const program = createProgram(
  'npm run nightly -- fuzz',
  'Sends mutated events to the handlers, and reports every response that is not documented.',
);
program
  .addOption(valueOption('--runs <number>', 'how many events', wholeNumber(1, 1_000_000_000)).default(20_000))
  .addOption(
    valueOption('--seed <number>', 'decides every event; a random one unless given', wholeNumber(0, 1_000_000_000)),
  )
  .action(async ({ runs, seed = Math.floor(Math.random() * 1_000_000_000) }) => {
    process.exitCode = await fuzz(runs, seed);
  });
await runCommand(program);
