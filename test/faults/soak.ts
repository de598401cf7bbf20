import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { startOwnEngine } from '../support/table/ownEngine.ts';
import type { TestEngine } from '../support/table/testTable.ts';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';
import { engineScene } from './scene.ts';

const description =
  'Histories with faults, by the thousand: concurrent clients in virtual time, and a checker that objects to whatever no ' +
  'order of atomic writes explains. A history with a violation is shrunk to the fewest clients and requests that still ' +
  'show it, and the command that runs it again is printed.';

interface Size {
  readonly clients: number;
  readonly requests: number;
}

interface Options extends Size {
  readonly histories: number;
  readonly firstSeed: number;
}

const violationsOf = async (engine: TestEngine, seed: number, size: Size): Promise<string[]> =>
  check(await runHistory({ seed, ...size, faults: usualFaults }, await engineScene(engine)));

/** Shrinks a history: removes requests, then clients, as long as there is a violation. */
async function shrink(engine: TestEngine, seed: number, size: Size): Promise<Size> {
  for (const smaller of [
    { ...size, requests: size.requests - 1 },
    { ...size, clients: size.clients - 1 },
  ])
    if (smaller.requests > 0 && smaller.clients > 0 && (await violationsOf(engine, seed, smaller)).length > 0)
      return shrink(engine, seed, smaller);
  return size;
}

/** @returns the exit code */
async function soak(engine: TestEngine, { histories, firstSeed, clients, requests }: Options): Promise<number> {
  console.log(`${histories} histories of ${clients} clients with ${requests} requests each, from seed ${firstSeed}`);
  let done = 0;
  let failed = 0;
  const endProgress = showProgress(() => `${done} of ${histories} histories, ${failed} with a violation`);
  try {
    for (; done < histories; done += 1) {
      const seed = firstSeed + done;
      const violations = await violationsOf(engine, seed, { clients, requests });
      if (violations.length === 0) continue;
      failed += 1;
      const size = await shrink(engine, seed, { clients, requests });
      console.log(`\nSeed ${seed}:\n  ${violations.join('\n  ')}`);
      console.log(
        `Again: npm run nightly -- soak --seed ${seed} --clients ${size.clients} --requests ${size.requests}`,
      );
    }
  } finally {
    endProgress();
  }
  console.log(`${histories - failed} of ${histories} histories without a violation`);
  return failed > 0 ? 1 : 0;
}

const program = createProgram('npm run nightly -- soak', description);
const many = wholeNumber(1, 1_000_000_000);
program
  .addOption(valueOption('--histories <number>', 'how many: 200 unless given, 1 with --seed', many))
  .addOption(
    valueOption(
      '--seed <number>',
      "the first history's, which decides all that happens in it; each has the next: at random unless given",
      wholeNumber(0, 1_000_000_000),
    ),
  )
  .addOption(valueOption('--clients <number>', 'clients in each history', many).default(8))
  .addOption(valueOption('--requests <number>', 'requests of each client, before repeats', many).default(25))
  .action(async ({ seed, histories = seed === undefined ? 200 : 1, ...size }) => {
    setLocalCredentials();
    const firstSeed = seed ?? Math.floor(Math.random() * 1_000_000);
    const engine = await startOwnEngine();
    try {
      process.exitCode = await soak(engine, { histories, firstSeed, ...size });
    } finally {
      await engine.stop();
    }
  });
await runCommand(program);
