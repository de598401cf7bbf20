/**
 * Hostile events into the handlers, by the million. They come in rounds, each with a seed and a table of its own. A
 * failing event is printed with the command that sends it again, after all that came before it in its round.
 */

import { readOptions, wholeNumber } from '../../infra/cli/arguments.ts';
import { setLocalCredentials } from '../../infra/cli/localCredentials.ts';
import { runCommand } from '../../infra/cli/runCommand.ts';
import { showProgress } from '../../infra/cli/showProgress.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import type { Failure } from './fuzzRound.ts';
import { fuzzRound } from './fuzzRound.ts';

const help = `Sends mutated events to the handlers, and objects to every answer that is not documented.

  npm run fuzz -- [options]

  --runs N    how many events: 20000 unless given
  --seed N    decides every event; a random one unless given
  --help      show this`;

/** Events of one round, after which the table is looked through and a new one begins. */
const roundSize = 10_000;
/** Of a request, so many characters are printed. */
const printed = 20_000;

function print({ seed, run, request, response, objections }: Failure): void {
  const text = JSON.stringify(request);
  console.log(`\nSeed ${seed}, event ${run}: ${objections.join('; ')}`);
  console.log(text.length > printed ? `${text.slice(0, printed)}… (${text.length} characters)` : text);
  console.log(`was answered ${JSON.stringify(response).slice(0, 2_000)}`);
  console.log(`Again: npm run fuzz -- --seed ${seed} --runs ${run}`);
}

async function fuzz(all: number, firstSeed: number): Promise<number> {
  setLocalCredentials();
  console.log(`${all} events from seed ${firstSeed}`);
  const engine = await startOwnEngine();
  const started = performance.now();
  const answers = new Map<string, number>();
  let done = 0;
  let failed = 0;
  let slowest = 0;
  const perSecond = () => Math.round((done * 1_000) / (performance.now() - started));
  const progress = showProgress(() => `${done} of ${all} events, ${perSecond()} a second, ${failed} failed`);
  try {
    for (let seed = firstSeed; done < all; seed += 1) {
      const runs = Math.min(roundSize, all - done);
      const round = await fuzzRound({ seed, runs, engine, onRun: () => (done += 1) });
      progress.clear();
      round.failures.forEach(print);
      for (const finding of round.broken) console.log(`\nSeed ${seed} left a broken table: ${finding}`);
      failed += round.failures.length + round.broken.length;
      slowest = Math.max(slowest, round.slowest);
      for (const [answer, count] of round.answers) answers.set(answer, (answers.get(answer) ?? 0) + count);
    }
  } finally {
    progress.end();
    await engine.stop();
  }
  console.table(Object.fromEntries([...answers].sort(([a], [b]) => (a < b ? -1 : 1))));
  console.log(`${failed} of ${done} events failed; ${perSecond()} a second; at most ${Math.round(slowest)} ms of CPU`);
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
