/**
 * Sends hostile events to the handlers, by the million if asked to. They come in rounds, each with a seed and a table of
 * its own. A failing event is printed with the command that repeats its round up to that event.
 */

import { setLocalCredentials } from '../../tools/cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../tools/cli/options.ts';
import { createProgram, runCommand } from '../../tools/cli/runCommand.ts';
import { showProgress } from '../../tools/cli/showProgress.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import type { Failure } from './fuzzRound.ts';
import { fuzzRound } from './fuzzRound.ts';
import { cpuLimit } from './fuzzTarget.ts';

/** Events of one round. */
const roundSize = 10_000;
/** How many characters of a request are printed. */
const maxPrinted = 20_000;

function print({ seed, run, request, response, violations }: Failure): void {
  const text = JSON.stringify(request);
  console.log(`\nSeed ${seed}, event ${run}: ${violations.join('; ')}`);
  console.log(text.length > maxPrinted ? `${text.slice(0, maxPrinted)}… (${text.length} characters)` : text);
  console.log(`Response: ${JSON.stringify(response).slice(0, 2_000)}`);
  console.log(`Repeat: npm run nightly -- fuzz --seed ${seed} --runs ${run}`);
}

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
  const endProgress = showProgress(() => `${done} of ${total} events, ${perSecond()} a second, ${failed} failed`);
  try {
    for (let seed = firstSeed; done < total; seed += 1) {
      const runs = Math.min(roundSize, total - done);
      const round = await fuzzRound({ seed, runs, engine, onRun: () => (done += 1) });
      round.failures.forEach(print);
      for (const finding of round.findings) console.log(`\nSeed ${seed} left an inconsistent table: ${finding}`);
      failed += round.failures.length + round.findings.length;
      mostCpu = Math.max(mostCpu, round.mostCpu);
      for (const [outcome, count] of round.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }
  } finally {
    endProgress();
    await engine.stop();
  }
  console.table(Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))));
  const cpu = `at most ${Math.round((100 * mostCpu) / cpuLimit)} % of the CPU limit`;
  console.log(`${failed} of ${done} events failed; ${perSecond()} a second; ${cpu}`);
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
