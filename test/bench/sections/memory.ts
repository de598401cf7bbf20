import type { FunctionRequest } from '../child/job.ts';
import { functionRequest, operations, operationsOf, sampleToken, stubAnswers } from '../operations.ts';
import { Worker } from '../processes.ts';
import type { Findings, Section } from '../section.ts';
import { rounded } from '../statistics.ts';

const steps = 10;
const megabytes = (bytes: number): number => rounded(bytes / 2 ** 20, 1);

/** The memory of a process with all functions, over many requests of every kind. */
export const memory: Section = async ({ artifacts, environments, sampling, progress }): Promise<Findings> => {
  const names = sampling.functions.flatMap(operationsOf);
  const requests: Record<string, FunctionRequest> = {};
  for (const name of names) {
    const bundle = await artifacts.function(operations[name].function);
    requests[name] = functionRequest(name, bundle, 'acme', sampleToken);
  }
  const bundle = await artifacts.function('createItem');
  // Pages of few items, as the time is better spent on requests.
  const job = artifacts.job({ bundle, requests, items: 1, answers: stubAnswers('acme', 5) });
  const worker = new Worker([await artifacts.child(), job], environments.functions.createItem);
  const count = Math.ceil(sampling.memory / steps / names.length);
  const rows = [];
  try {
    for (let step = 0; step <= steps; step += 1) {
      progress(`${step * count * names.length} of ${sampling.memory} requests`);
      let found = { heap: 0, resident: 0 };
      // At first only what is loaded and cached by one request of each kind.
      const each = step === 0 ? 1 : count;
      for (const operation of names)
        ({ memory: found } = await worker.run({ operation, from: step * count, count: each, clients: 16 }));
      rows.push({
        requests: Math.max(1, step * count) * names.length,
        'heap MB': megabytes(found.heap),
        'RSS MB': megabytes(found.resident),
      });
    }
  } finally {
    worker.end();
  }
  const title = 'Memory over requests of every kind to all functions, in one process, after garbage collection';
  return { tables: [{ title, rows }] };
};
