import type { Cost } from '../child/job.ts';
import type { OperationName } from '../operations.ts';
import { deniedAnswers, functionRequest, operations, sampleToken, stubAnswers } from '../operations.ts';
import { Worker } from '../processes.ts';
import type { Bench, Findings, Section } from '../section.ts';
import { rotated, spread } from '../statistics.ts';

interface Kind {
  readonly title: string;
  readonly operation: OperationName;
  readonly fails: boolean;
  readonly first: Cost[];
  readonly later: Cost[];
}

/** The first request of a process and those that come later, when they fail and when they do not. */
async function sample({ artifacts, environments, sampling }: Bench, { operation, fails, first, later }: Kind) {
  const name = operations[operation].function;
  const bundle = await artifacts.function(name);
  const request = functionRequest(operation, bundle, 'acme', sampleToken);
  const requests = { [operation]: fails ? { ...request, status: 500 } : request };
  const job = artifacts.job({ bundle, requests, items: 1, answers: fails ? deniedAnswers : stubAnswers('acme') });
  const worker = new Worker([await artifacts.child(), job], environments.functions[name]);
  try {
    const turn = (from: number, count: number) => worker.run({ operation, from, count, clients: 1 });
    first.push(await turn(0, 1));
    // Warms up.
    await turn(1, sampling.failures);
    const { time, cpu } = await turn(1 + sampling.failures, sampling.failures);
    later.push({ time: time / sampling.failures, cpu: cpu / sampling.failures });
  } finally {
    worker.end();
  }
}

/** What a request costs that fails on an outage and is logged with its stack, whose frames are those of the sources. */
export const failures: Section = async (bench): Promise<Findings> => {
  const kinds = (['create', 'getItem'] as const).flatMap((operation) =>
    [false, true].map((fails): Kind => {
      const title = `${operations[operation].title}, ${fails ? 'failing' : 'successful'}`;
      return { title, operation, fails, first: [], later: [] };
    }),
  );
  for (let round = 0; round < bench.sampling.starts; round += 1) {
    bench.progress(`round ${round + 1} of ${bench.sampling.starts}`);
    for (const kind of rotated(kinds, round)) await sample(bench, kind);
  }
  const milliseconds = (costs: readonly Cost[], what: keyof Cost) => spread(costs.map((cost) => cost[what]));
  const rows = kinds.map(({ title, first, later }) => ({
    request: title,
    'first, ms': milliseconds(first, 'time'),
    'first, CPU ms': milliseconds(first, 'cpu'),
    'later, ms': milliseconds(later, 'time'),
    'later, CPU ms': milliseconds(later, 'cpu'),
  }));
  const notes = [
    'Each request fails because DynamoDB denies access to the table. The first failure also reads the source map, to log ' +
      'source files and lines. Medians with quartiles. Responses come from the same stub as for warm functions.',
  ];
  return { tables: [{ title: 'Logged failures: the first in a process, and later ones', rows }], notes };
};
