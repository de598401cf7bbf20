import { readOptions, wholeNumber } from '../../tools/cli/arguments.ts';
import { setLocalCredentials } from '../../tools/cli/localCredentials.ts';
import { runCommand } from '../../tools/cli/runCommand.ts';
import { showProgress } from '../../tools/cli/showProgress.ts';
import { startOwnEngine } from '../support/ownEngine.ts';
import type { TestEngine } from '../support/testTable.ts';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';
import { engineScene } from './scene.ts';

const help = `Histories with faults, by the thousand: concurrent clients in virtual time, and a checker that objects to whatever
no order of atomic writes explains. A history with a violation is shrunk to the fewest clients and requests that still
show it, and the command that runs it again is printed.

  npm run soak -- [options]

  --histories N   how many: 200 unless given, 1 with --seed
  --seed N        the first history's, which decides all that happens in it; each has the next: at random unless given
  --clients N     clients in each history: 8 unless given
  --requests N    requests of each client, before repeats: 25 unless given
  --help          show this

Exit code: 0 no violation, 1 a violation, 2 wrong arguments.`;

interface Size {
  readonly clients: number;
  readonly requests: number;
}

interface Options extends Size {
  readonly histories: number;
  readonly firstSeed: number;
}

const text = { type: 'string' } as const;
const options = { histories: text, seed: text, clients: text, requests: text, help: { type: 'boolean' } } as const;

function readArguments(args: readonly string[]): Options | 'help' {
  const { histories, seed, clients, requests, help: helpWanted } = readOptions(args, options);
  if (helpWanted) return 'help';
  return {
    histories: wholeNumber('histories', histories, { initial: seed === undefined ? 200 : 1 }),
    firstSeed: wholeNumber('seed', seed, { initial: Math.floor(Math.random() * 1_000_000), least: 0 }),
    clients: wholeNumber('clients', clients, { initial: 8 }),
    requests: wholeNumber('requests', requests, { initial: 25 }),
  };
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
  const progress = showProgress(() => `${done} of ${histories} histories, ${failed} with a violation`);
  try {
    for (; done < histories; done += 1) {
      const seed = firstSeed + done;
      const violations = await violationsOf(engine, seed, { clients, requests });
      if (violations.length === 0) continue;
      failed += 1;
      const size = await shrink(engine, seed, { clients, requests });
      progress.clear();
      console.log(`\nSeed ${seed}:\n  ${violations.join('\n  ')}`);
      console.log(`Again: npm run soak -- --seed ${seed} --clients ${size.clients} --requests ${size.requests}`);
    }
  } finally {
    progress.end();
  }
  console.log(`${histories - failed} of ${histories} histories without a violation`);
  return failed > 0 ? 1 : 0;
}

await runCommand(async (args) => {
  const given = readArguments(args);
  if (given === 'help') {
    console.log(help);
    return 0;
  }
  setLocalCredentials();
  const engine = await startOwnEngine();
  try {
    return await soak(engine, given);
  } finally {
    await engine.stop();
  }
});
