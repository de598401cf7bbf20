/**
 * Sends hostile events to the handlers, by the million if asked to. They come in rounds, each with a seed and a table of
 * its own. A failing event is printed with the command that repeats its round up to that event.
 */

import { readOptions, wholeNumber } from '../../tools/cli/arguments.ts';
import { setLocalCredentials } from '../../tools/cli/localCredentials.ts';
import { runCommand } from '../../tools/cli/runCommand.ts';
import { showProgress } from '../../tools/cli/showProgress.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import type { Failure } from './fuzzRound.ts';
import { fuzzRound } from './fuzzRound.ts';
import { cpuLimit } from './fuzzTarget.ts';

const help = `Sends mutated events to the handlers, and reports every response that is not documented.

  npm run fuzz -- [options]

  --runs N    how many events: 20000 unless given
  --seed N    decides every event; a random one unless given
  --help      show this`;

/** Events of one round. */
const roundSize = 10_000;
/** How many characters of a request are printed. */
const maxPrinted = 20_000;

function print({ seed, run, request, response, violations }: Failure): void {
  const text = JSON.stringify(request);
  console.log(`\nSeed ${seed}, event ${run}: ${violations.join('; ')}`);
  console.log(text.length > maxPrinted ? `${text.slice(0, maxPrinted)}… (${text.length} characters)` : text);
  console.log(`Response: ${JSON.stringify(response).slice(0, 2_000)}`);
  console.log(`Repeat: npm run fuzz -- --seed ${seed} --runs ${run}`);
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
  const progress = showProgress(() => `${done} of ${total} events, ${perSecond()} a second, ${failed} failed`);
  try {
    for (let seed = firstSeed; done < total; seed += 1) {
      const runs = Math.min(roundSize, total - done);
      const round = await fuzzRound({ seed, runs, engine, onRun: () => (done += 1) });
      progress.clear();
      round.failures.forEach(print);
      for (const finding of round.findings) console.log(`\nSeed ${seed} left an inconsistent table: ${finding}`);
      failed += round.failures.length + round.findings.length;
      mostCpu = Math.max(mostCpu, round.mostCpu);
      for (const [outcome, count] of round.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    }
  } finally {
    progress.end();
    await engine.stop();
  }
  console.table(Object.fromEntries([...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))));
  const cpu = `at most ${Math.round((100 * mostCpu) / cpuLimit)} % of the CPU limit`;
  console.log(`${failed} of ${done} events failed; ${perSecond()} a second; ${cpu}`);
  return failed > 0 ? 1 : 0;
}

await runCommand(async (args) => {
  const text = { type: 'string' } as const;
  const given = readOptions(args, { runs: text, seed: text, help: { type: 'boolean' } });
  if (given.help) {
    console.log(help);
    return 0;
  }
  const random = Math.floor(Math.random() * 1_000_000_000);
  return fuzz(
    wholeNumber('runs', given.runs, { initial: 20_000 }),
    wholeNumber('seed', given.seed, { initial: random, least: 0 }),
  );
});
