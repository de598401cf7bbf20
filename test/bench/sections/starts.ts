import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { tableName } from '../artifacts.ts';
import type { Cost, Job, Memory } from '../child/job.ts';
import type { OperationName } from '../operations.ts';
import { functionRequest, sampleToken, stubAnswers } from '../operations.ts';
import { startOnce } from '../processes.ts';
import type { Bench, Findings, Section } from '../section.ts';
import { median, rotated, rounded, spread } from '../statistics.ts';
import { usualStack } from './sizes.ts';

/** The request that each function is asked first. */
const firstRequests = {
  createItem: 'createIdentifiers',
  updateItem: 'update',
  getItem: 'getItem',
  listItems: 'listItems',
  getCatalog: 'getCatalog',
  authorizer: 'authorizer',
} as const satisfies Record<FunctionName, OperationName>;

/** JavaScript that sends what a function sends in a cold container, or only the last of it. */
function cold(operation: OperationName): string {
  if (operation === 'authorizer' || operation === 'getCatalog') return single(operation);
  return `import { configuration, ${operation} } from 'floor.ts';
    export const first = async (number) => { await configuration(); return ${operation}(number); };`;
}

function single(operation: OperationName): string {
  if (operation === 'getCatalog') return "export { configuration as first } from 'floor.ts';";
  if (operation !== 'createIdentifiers') return `export { ${operation} as first } from 'floor.ts';`;
  return `import { transact } from 'floor.ts';
    export const first = (number) => transact(number, number, { withGuards: true });`;
}

const answers = stubAnswers('acme');

/** Something that starts: which job, in which environment, and what it is compared with. */
interface Starter {
  readonly name: string;
  readonly job: Job;
  readonly env: Readonly<Record<string, string>>;
  readonly base?: Starter;
  /** Sends only one command, where the function sends several. */
  readonly command?: Starter;
}

async function starters(bench: Bench): Promise<Starter[]> {
  const nothing = {
    name: 'nothing',
    job: { bundle: await bench.artifacts.nothing(), items: 1 },
    env: bench.environments.bare,
  };
  const all: Starter[] = [nothing];
  for (const name of bench.effort.functions) all.push(...(await functionStarters(bench, name)));
  return all;
}

/** A function, and the SDK alone beside it. */
async function functionStarters(bench: Bench, name: FunctionName): Promise<Starter[]> {
  const { artifacts, environments } = bench;
  const operation = firstRequests[name];
  const bare = async (title: string, first: string): Promise<Starter> => {
    const bundle = await artifacts.trimmedSdk(`${name}-${title.replace(/\W/g, '-')}`, first);
    return { name: `${title}, as ${name}`, job: { bundle, items: 1, answers, first: 'first' }, env: environments.bare };
  };
  const base = await bare('trimmed SDK', cold(operation));
  const command =
    cold(operation) === single(operation) ? base : await bare('trimmed SDK, one command', single(operation));
  const bundle = await artifacts.function(name);
  const requests = { [operation]: functionRequest(operation, bundle, 'acme', sampleToken) };
  const job = { bundle, requests, items: 1, answers, first: operation };
  const own = { name, job, env: environments.functions[name], base, command };
  const all = [...new Set([base, command]), own];
  if (name === 'createItem') all.push(...(await usualStarters(bench, command)));
  if (name === 'authorizer')
    all.push({ ...own, name: 'authorizer, with an identity provider', env: withProvider(own.env) });
  return all;
}

function withProvider(env: Readonly<Record<string, string>>) {
  const identity = identitySettings.parse({ issuer: 'http://127.0.0.1:1', audience: tableName });
  return { ...env, [variables.identity]: JSON.stringify(identity) };
}

/** What is usual: each sends one command, as its base does. */
async function usualStarters({ artifacts, environments, missingPeers }: Bench, base: Starter): Promise<Starter[]> {
  const bundle = await artifacts.usualSdk('put', "export { put as first } from 'floor.ts';");
  const job: Job = { bundle, items: 1, answers, first: 'first' };
  const all: Starter[] = [{ name: 'the SDK as usually bundled', job, env: environments.bare, base, command: base }];
  if (missingPeers !== undefined) return all;
  const stack = await artifacts.usualStack();
  const requests = { create: functionRequest('create', stack, 'acme', sampleToken) };
  // Traces need the segment that Lambda opens. Without them it only has less to do.
  const env = { ...environments.bare, POWERTOOLS_TRACE_ENABLED: 'false' };
  const stackJob = { bundle: stack, requests, items: 1, answers, first: 'create' };
  return [...all, { name: 'the usual stack', job: stackJob, env, base, command: base }];
}

const none: Cost = { time: 0, cpu: 0 };
const sum = (a: Cost, b: Cost): Cost => ({ time: a.time + b.time, cpu: a.cpu + b.cpu });

interface Samples {
  readonly init: Cost[];
  readonly first: Cost[];
  readonly memory: Memory[];
}

/** Starts every one in each round, in an order that changes; memory is read in rounds of its own. */
async function sample(bench: Bench, all: readonly Starter[]): Promise<Map<Starter, Samples>> {
  const child = await bench.artifacts.child();
  const programs = new Map(all.map((one) => [one, [child, bench.artifacts.job(one.job)] as const]));
  const samples = new Map(all.map((one) => [one, { init: [], first: [], memory: [] } as Samples]));
  const { starts } = bench.effort;
  const memoryRounds = Math.ceil(starts / 5);
  for (let round = 0; round < starts + memoryRounds; round += 1) {
    bench.progress(`round ${round + 1} of ${starts + memoryRounds}`);
    for (const one of rotated(all, round)) {
      const collects = round >= starts;
      const { init, first = none, memory } = await startOnce(programs.get(one) as [string, string], one.env, collects);
      const of = samples.get(one) as Samples;
      if (collects) of.memory.push(memory);
      else {
        of.init.push(init);
        of.first.push(first);
      }
    }
  }
  return samples;
}

/** Init and first request of all functions, and the memory that they take, beside the SDK alone. */
export const starts: Section = async (bench): Promise<Findings> => {
  const all = await starters(bench);
  const samples = await sample(bench, all);
  const of = (one: Starter): Samples => samples.get(one) as Samples;
  const ratios = (one: Starter, other: Starter = one, pick: (samples: Samples) => readonly number[]) => {
    const theirs = pick(of(other));
    return pick(of(one)).map((own, round) => own / (theirs[round] ?? Number.NaN));
  };
  const init = (what: keyof Cost) => (samples: Samples) => samples.init.map((cost) => cost[what]);
  const first = (what: keyof Cost) => (samples: Samples) => samples.first.map((cost) => cost[what]);
  const both = (what: keyof Cost) => (samples: Samples) =>
    samples.init.map((cost, round) => sum(cost, samples.first[round] ?? none)[what]);
  const compared = all.filter(({ base }) => base !== undefined);
  const shown = all.filter(({ job }) => job.first !== undefined);
  const withMemory = all.filter((one) => one.base !== undefined || one === all[0] || one === all[1]);
  const memory = withMemory.map((one) => {
    const megabytes = (what: keyof Memory) => rounded(median(of(one).memory.map((each) => each[what])) / 2 ** 20, 1);
    return { process: one.name, 'heap MB': megabytes('heap'), 'RSS MB': megabytes('resident') };
  });
  const title = 'Init and first request, beside the trimmed SDK alone';
  const row = (one: Starter) => ({
    process: one.name,
    'init ms': rounded(median(init('time')(of(one))), 1),
    'init CPU': rounded(median(init('cpu')(of(one))), 1),
    'first ms': rounded(median(first('time')(of(one))), 1),
    'first CPU': rounded(median(first('cpu')(of(one))), 1),
  });
  return {
    tables: [
      { title: 'Init and first request, in milliseconds', rows: shown.map(row) },
      {
        title,
        rows: compared.map((one) => ({
          process: one.name,
          'init ×': spread(ratios(one, one.base, init('time'))),
          'init CPU ×': spread(ratios(one, one.base, init('cpu'))),
          'init + first ×': spread(ratios(one, one.base, both('time'))),
          'first CPU ×': spread(ratios(one, one.base, first('cpu'))),
          'first CPU × its command': spread(ratios(one, one.command, first('cpu'))),
        })),
        notes: [
          'Medians of paired ratios, with their quartiles. The first request is answered by a stub in the process, so there is no TLS. The trimmed SDK sends the same ' +
            'messages as the function (a create: configuration, id lease, transaction); in the last column only the ' +
            'command itself.',
          bench.missingPeers ?? usualStack,
        ],
      },
      { title: 'Memory after init, after garbage collection', rows: memory },
    ],
    charts: [startChart(compared, (one) => median(ratios(one, one.base, init('time'))))],
  };
};

const startChart = (compared: readonly Starter[], ratio: (one: Starter) => number) => ({
  name: 'bench-init',
  title: 'Init of the functions, beside the trimmed SDK alone',
  unit: '×',
  groups: [
    {
      title: '',
      bars: [
        ...compared.map((one) => ({
          title: one.name,
          kind: one.name.startsWith('the ') ? ('peer' as const) : ('project' as const),
          value: rounded(ratio(one)),
        })),
        { title: 'the trimmed SDK alone', kind: 'floor' as const, value: 1 },
      ],
    },
  ],
});
