import type { Cost, Start } from '../child/job.ts';
import { startOnce } from '../processes.ts';
import type { Bench, Chart, Findings, Section, Table } from '../section.ts';
import { type Starter, starters } from '../starters.ts';
import { median, rotated, rounded, spread } from '../statistics.ts';
import { usualStack } from './sizes.ts';

interface Samples {
  readonly timed: Start[];
  /** Of processes whose garbage is collected, which takes time. */
  readonly collected: Start[];
}

type AllSamples = ReadonlyMap<Starter, Samples>;
type Part = (start: Start) => Cost;

const init: Part = (start) => start.init;
const first: Part = (start) => start.first ?? { time: 0, cpu: 0 };
const both: Part = (start) => ({ time: init(start).time + first(start).time, cpu: init(start).cpu + first(start).cpu });

/** Init and first request of all functions, and the memory that they take, beside the SDK alone. */
export const starts: Section = async (bench): Promise<Findings> => {
  const all = await starters(bench);
  const samples = await sample(bench, all);
  const compared = all.filter(({ base }) => base !== undefined);
  return {
    tables: [costTable(samples), ratioTable(samples, compared), memoryTable(samples)],
    notes: [
      'Medians of paired ratios, with quartiles. A stub in the process responds to the first request, so there is no TLS. ' +
        'The trimmed SDK sends the same messages as the function in a cold container (for a create: configuration, id ' +
        'lease, write). In the last column it only sends the command itself.',
      bench.missingPeers ?? usualStack,
    ],
    charts: [chart(samples, compared)],
  };
};

/** Starts every one in each round, in an order that changes. */
async function sample({ artifacts, sampling, progress }: Bench, all: readonly Starter[]): Promise<AllSamples> {
  const child = await artifacts.child();
  const jobs = new Map(all.map((one) => [one, artifacts.job(one.job)]));
  const samples = new Map(all.map((one): [Starter, Samples] => [one, { timed: [], collected: [] }]));
  const rounds = sampling.starts + Math.ceil(sampling.starts / 5);
  for (let round = 0; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    const kind = round < sampling.starts ? 'timed' : 'collected';
    for (const one of rotated(all, round))
      samples.get(one)?.[kind].push(await startOnce([child, String(jobs.get(one))], one.env, kind === 'collected'));
  }
  return samples;
}

const values = (samples: AllSamples, one: Starter, part: Part, what: keyof Cost): number[] =>
  (samples.get(one)?.timed ?? []).map((start) => part(start)[what]);

/** Of each round, how many times more it takes than the other. */
function ratios(samples: AllSamples, one: Starter, other: Starter = one, part: Part, what: keyof Cost): number[] {
  const theirs = values(samples, other, part, what);
  return values(samples, one, part, what).map((own, round) => own / (theirs[round] ?? Number.NaN));
}

function costTable(samples: AllSamples): Table {
  const shown = [...samples.keys()].filter(({ job }) => job.first !== undefined);
  const middle = (one: Starter, part: Part, what: keyof Cost) => rounded(median(values(samples, one, part, what)), 1);
  const rows = shown.map((one) => ({
    process: one.name,
    'init ms': middle(one, init, 'time'),
    'init CPU': middle(one, init, 'cpu'),
    'first ms': middle(one, first, 'time'),
    'first CPU': middle(one, first, 'cpu'),
  }));
  return { title: 'Init and first request, in milliseconds', rows };
}

function ratioTable(samples: AllSamples, compared: readonly Starter[]): Table {
  const rows = compared.map((one) => ({
    process: one.name,
    'init ×': spread(ratios(samples, one, one.base, init, 'time')),
    'init CPU ×': spread(ratios(samples, one, one.base, init, 'cpu')),
    'init + first ×': spread(ratios(samples, one, one.base, both, 'time')),
    'init + first CPU ×': spread(ratios(samples, one, one.base, both, 'cpu')),
    'first CPU ×': spread(ratios(samples, one, one.base, first, 'cpu')),
    'first CPU × its command': spread(ratios(samples, one, one.command, first, 'cpu')),
  }));
  return { title: 'Init and first request, compared with the trimmed SDK alone', rows };
}

function memoryTable(samples: AllSamples): Table {
  // The SDK alone takes the same for all functions.
  const [nothing, bare] = samples.keys();
  const shown = [...samples].filter(([one]) => one.base !== undefined || one === nothing || one === bare);
  const megabytes = (bytes: readonly number[]) => rounded(median(bytes) / 2 ** 20, 1);
  const rows = shown.map(([{ name }, { collected }]) => ({
    process: name,
    'heap MB': megabytes(collected.map(({ memory }) => memory.heap)),
    'RSS MB': megabytes(collected.map(({ memory }) => memory.resident)),
  }));
  return { title: 'Memory after init, after garbage collection', rows };
}

function chart(samples: AllSamples, compared: readonly Starter[]): Chart {
  const bars = compared.map((one) => ({
    title: one.name,
    kind: one.kind,
    value: rounded(median(ratios(samples, one, one.base, init, 'time'))),
  }));
  const floor = { title: 'the trimmed SDK alone', kind: 'floor' as const, value: 1 };
  const title = 'Init of the functions, beside the trimmed SDK alone';
  return { name: 'bench-init', title, unit: '×', groups: [{ title: '', bars: [...bars, floor] }] };
}
