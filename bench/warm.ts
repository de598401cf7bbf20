import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import { Container, type Contender, takeTurns } from './contender.ts';
import { stubAccount } from './programs.ts';
import { type OperationName, operationsOf } from './requests.ts';
import { runs } from './statistics.ts';
import type { Setting } from './worker.ts';

const warmUp = 600;
const measured = { turns: 16, requests: 50 };

/** The mean CPU of a request in each run, in microseconds, by operation and contender. */
export type WarmSamples = ReadonlyMap<OperationName, readonly (readonly number[])[]>;

/**
 * Measures the operations that all contenders have, when warm. Each run starts new processes, because two processes with
 * the same bundle differ by some percent for as long as they live.
 */
export async function measureWarm(
  setting: Setting,
  contenders: readonly Contender[],
  names: readonly FunctionName[],
  progress: (text: string) => void,
): Promise<WarmSamples> {
  const samples = new Map<OperationName, number[][]>();
  for (const name of names)
    for (let run = 1; run <= runs; run += 1) {
      progress(`requests to ${name}, run ${run} of ${runs}`);
      await runOnce(setting, contenders, name, samples);
    }
  return samples;
}

async function runOnce(
  setting: Setting,
  contenders: readonly Contender[],
  name: FunctionName,
  samples: Map<OperationName, number[][]>,
): Promise<void> {
  const containers = contenders.map((contender) => new Container(setting, contender, stubAccount));
  for (const operation of operationsOf(name)) {
    if (contenders.some(({ lacks }) => lacks.includes(operation))) continue;
    for (const container of containers) await container.run(operation, warmUp);
    const turns = await takeTurns(containers, operation, measured);
    const costs = turns.map((each) => each.reduce((sum, { cpu }) => sum + cpu, 0) / each.length);
    const before = samples.get(operation);
    samples.set(
      operation,
      costs.map((cost, index) => [...(before?.[index] ?? []), cost]),
    );
  }
  for (const container of containers) await container.end();
}
