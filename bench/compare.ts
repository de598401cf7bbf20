import { statSync } from 'node:fs';
import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import type { Contender } from './contender.ts';
import { measuredFunctions, type OperationName, operations, operationsOf } from './requests.ts';
import { median, ratios, rotated, runs, spread } from './statistics.ts';
import { type Program, type Setting, Worker } from './worker.ts';

/** How many processes of each bundle are started in a run. */
const starts = 5;
const warmUp = 600;
const turns = 16;
const requestsInTurn = 50;

type Pair<Each> = readonly [first: Each, second: Each];
/** The figures of each thing that is measured, one for each run, of both contenders. */
type Samples = Map<string, Pair<number[]>>;

/** A contender's bundle that does the operations of the function being measured. */
interface Side extends Pick<Contender, 'request'> {
  readonly program: Program;
}

/** Compares two contenders: size, CPU and memory of starts, CPU of first and of warm requests. */
export async function compare(setting: Setting, contenders: Pair<Contender>, progress: (text: string) => void) {
  const samples: Samples = new Map();
  for (const name of measuredFunctions) {
    const sides = contenders.flatMap(({ program, request }): Side[] => {
      const bundle = program(name);
      return bundle === undefined ? [] : [{ program: bundle, request }];
    });
    const [first, second] = sides;
    const able = operationsOf(name).filter((operation) => contenders.every(({ lacks }) => !lacks.includes(operation)));
    if (first === undefined || second === undefined || able.length === 0) continue;
    for (let run = 0; run < runs; run += 1) {
      progress(`${name}, run ${run + 1} of ${runs}`);
      await measureStarts(setting, [first, second], name, able, run, samples);
      await measureWarm(setting, [first, second], able, samples);
    }
  }
  return [...samples].map(([of, [first, second]]) => ({
    of,
    first: Math.round(median(first)),
    second: Math.round(median(second)),
    'second / first': spread(ratios(second, first)),
  }));
}

/** Adds what was measured in a run, in the order of the sides. */
function add(samples: Samples, of: string, values: readonly number[]): void {
  const [first, second] = samples.get(of) ?? [[], []];
  samples.set(of, [
    [...first, ...values.slice(0, 1)],
    [...second, ...values.slice(1)],
  ]);
}

async function measureStarts(
  setting: Setting,
  sides: Pair<Side>,
  name: FunctionName,
  [operation = 'create']: readonly OperationName[],
  run: number,
  samples: Samples,
): Promise<void> {
  const costs = sides.map((): { init: number; first: number; memory: number }[] => []);
  for (let round = 0; round < starts; round += 1)
    for (const [index, { program, request }] of rotated([...sides.entries()], run + round)) {
      const worker = await Worker.open(setting, program);
      const { cpu } = await worker.run({ ...request(operation), from: 1, count: 1 });
      worker.end();
      costs[index]?.push({ init: worker.start.cpu, first: cpu, memory: worker.start.memory / 2 ** 20 });
    }
  const medians = (part: 'init' | 'first' | 'memory') => costs.map((each) => median(each.map((cost) => cost[part])));
  add(
    samples,
    `${name}: bundle, KB`,
    sides.map(({ program }) => statSync(program.bundle).size / 1_000),
  );
  add(samples, `${name}: resident after init, MB`, medians('memory'));
  add(samples, `${name}: init, CPU µs`, medians('init'));
  add(samples, `${name}: first request, CPU µs`, medians('first'));
}

/** In new processes, because two with the same bundle differ by some percent for as long as they live. */
async function measureWarm(
  setting: Setting,
  sides: Pair<Side>,
  able: readonly OperationName[],
  samples: Samples,
): Promise<void> {
  const workers = await Promise.all(sides.map(({ program }) => Worker.open(setting, program)));
  let from = 1;
  for (const operation of able) {
    const all = sides.map(({ request }, index) => ({ index, request: request(operation), worker: workers[index] }));
    for (const { request, worker } of all) await worker?.run({ ...request, from, count: warmUp });
    from += warmUp;
    const cpu = sides.map(() => 0);
    for (let turn = 0; turn < turns; turn += 1, from += requestsInTurn)
      for (const { index, request, worker } of rotated(all, turn)) {
        const cost = await worker?.run({ ...request, from, count: requestsInTurn });
        cpu[index] = (cpu[index] ?? 0) + (cost?.cpu ?? Number.NaN) / turns;
      }
    add(samples, `${operations[operation].title}, CPU µs`, cpu);
  }
  for (const worker of workers) worker.end();
}
