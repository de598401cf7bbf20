import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import { stubAccount } from './programs.ts';
import { functionRequest, operationsOf } from './requests.ts';
import { median, rotated, runs } from './statistics.ts';
import type { Request } from './turn.ts';
import { type Program, type Setting, Worker } from './worker.ts';

/** How many processes are started of each program in a run. */
const processes = 5;

export interface Starter {
  readonly name: string;
  readonly program: Program;
  /** The request that is sent first. */
  readonly first: Request;
}

/** Starts a function and asks it the first of its operations. */
export const functionStarter = (name: FunctionName, program: Program): Starter => ({
  name,
  program,
  first: functionRequest(operationsOf(name)[0] ?? 'create', stubAccount),
});

export interface StartCost {
  /** CPU in microseconds. */
  readonly init: number;
  /** The same of the first request. */
  readonly first: number;
  /** Resident memory after init, in bytes. */
  readonly memory: number;
}

/** Starts every program several times in each run. @returns the median cost in each run, by program */
export async function measureStarts(setting: Setting, starters: readonly Starter[]): Promise<StartCost[][]> {
  const samples = starters.map((): StartCost[] => []);
  for (let run = 0; run < runs; run += 1) {
    const ofRun = starters.map((): StartCost[] => []);
    for (let round = 0; round < processes; round += 1)
      for (const [index, starter] of rotated([...starters.entries()], run + round))
        ofRun[index]?.push(await startOnce(setting, starter));
    for (const [index, costs] of ofRun.entries()) samples[index]?.push(medianOf(costs));
  }
  return samples;
}

async function startOnce(setting: Setting, { program, first }: Starter): Promise<StartCost> {
  const worker = await Worker.open(setting, program);
  const { cpu } = await worker.run({ ...first, from: 1, count: 1 });
  worker.end();
  return { init: worker.start.cpu, first: cpu, memory: worker.start.memory };
}

export const medianOf = (costs: readonly StartCost[]): StartCost => ({
  init: median(costs.map(({ init }) => init)),
  first: median(costs.map(({ first }) => first)),
  memory: median(costs.map(({ memory }) => memory)),
});
