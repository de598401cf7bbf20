import { statSync } from 'node:fs';
import { functionNames } from '../infra/constructs/functionAccess.ts';
import type { EngineCost, EngineSamples } from './engine.ts';
import type { measure } from './measure.ts';
import type { Report, Table } from './report.ts';
import { operations } from './requests.ts';
import { medianOf, type StartCost, type Starter } from './starts.ts';
import { median, ratios, spread } from './statistics.ts';
import type { WarmSamples } from './warm.ts';

const rounded = (number: number, digits: number): number => Number(number.toFixed(digits));

/** @returns the results for people */
export function reportOf({ starters, starts, warm, engine }: Awaited<ReturnType<typeof measure>>): Report {
  const times = timesTable(engine);
  return {
    tables: [startsTable(starters, starts), warmTable(warm), times, usageTable(engine)],
    summary: times,
    bars: starters.map(({ name }, index) => ({
      title: name,
      isOurs: functionNames.some((each) => name.startsWith(each)),
      value: rounded(medianOf(starts[index] ?? []).init / 1_000, 1),
    })),
  };
}

function startsTable(starters: readonly Starter[], starts: readonly (readonly StartCost[])[]): Table {
  const initOf = (costs: readonly StartCost[] = []) => costs.map(({ init }) => init);
  const rows = starters.map(({ name, program }, index) => {
    const costs = starts[index] ?? [];
    const { init, first, memory } = medianOf(costs);
    return {
      bundle: name,
      KB: rounded(statSync(program.bundle).size / 1_000, 0),
      'init, CPU ms': rounded(init / 1_000, 1),
      '× SDK alone': spread(ratios(initOf(costs), initOf(starts[0]))),
      'first request, CPU ms': rounded(first / 1_000, 1),
      'resident MB': rounded(memory / 2 ** 20, 0),
    };
  });
  return { title: 'Starts', rows };
}

function warmTable(samples: WarmSamples): Table {
  const rows = [...samples].map(([operation, [floor = [], service = []]]) => ({
    request: operations[operation].title,
    'service, CPU µs': rounded(median(service), 0),
    'SDK alone, CPU µs': rounded(median(floor), 0),
    '× SDK alone': spread(ratios(service, floor)),
  }));
  return { title: 'Requests to a warm function, without network', rows };
}

const timesTable = (samples: EngineSamples): Table => ({
  title: 'Requests on the embedded engine',
  rows: engineRows(samples, (cost, floor) =>
    cost === floor ? `${rounded(median(cost.times) / 1_000, 2)} ms` : spread(ratios(cost.times, floor.times)),
  ),
});

const usageTable = (samples: EngineSamples): Table => ({
  title: 'Messages to DynamoDB, and capacity units',
  rows: engineRows(samples, ({ messages, units }) => `${rounded(messages, 1)}, ${rounded(units, 1)}`),
});

/** A row for each operation, and a column for each contender. The first one is the floor. */
function engineRows(samples: EngineSamples, cell: (cost: EngineCost, floor: EngineCost) => string): Table['rows'] {
  const [all = []] = samples.values();
  return [...samples].map(([operation, costs]) => {
    const cells = all.map(({ contender }) => {
      const [cost, [floor]] = [costs.find((each) => each.contender === contender), costs];
      return [contender, cost === undefined || floor === undefined ? '–' : cell(cost, floor)];
    });
    return { request: operations[operation].title, ...Object.fromEntries(cells) };
  });
}
