import { keys } from '../../lib/store/records/keys.ts';
import type { PageTable } from './pageTable.ts';
import { percent, shown, sum } from './pageTable.ts';
import type { Load } from './simulateCreates.ts';
import { simulateCreates } from './simulateCreates.ts';

/** Selects the loads of a table. */
type Choice = (load: Load) => boolean;

/** One minute each, without throttling. */
export const spreadLoads: readonly Load[] = [
  { accounts: 1, containers: 10, rate: 10 },
  { accounts: 1, containers: 100, rate: 100 },
  { accounts: 1, containers: 1_000, rate: 500 },
  { accounts: 1_000, containers: 1_000, rate: 1_000 },
  { accounts: 1_000, containers: 100, rate: 1_000 },
  { accounts: 100, containers: 10, rate: 100 },
].map((load) => ({ ...load, creates: load.rate * 60, identifiers: 0 }));

/** One account: half a minute each, except for the load whose creates come all at once. */
export const hotLoads: readonly Load[] = (
  [
    { containers: 1_000, identifiers: 0, rate: Number.POSITIVE_INFINITY, creates: 1_000 },
    { containers: 1_000, identifiers: 0, rate: 500 },
    { containers: 1_000, identifiers: 0, rate: 900 },
    { containers: 1_000, identifiers: 0, rate: 1_200 },
    { containers: 1_000, identifiers: 0, rate: 2_000 },
    { containers: 1_000, identifiers: 2, rate: 450 },
    { containers: 1_000, identifiers: 2, rate: 600 },
    { containers: 200, identifiers: 0, rate: 1_200 },
  ] as const
).map((load) => ({ accounts: 1, creates: load.rate * 30, ...load }));

/** The result of a load in figures; shares and averages are of all creates. */
async function figuresOf(load: Load, seed: number) {
  const { answered, withoutContainer, table } = await simulateCreates(load, seed);
  const created = answered.filter(({ id }) => id !== undefined);
  const durations = created.map(({ duration }) => duration).toSorted((a, b) => a - b);
  const counters = Array.from({ length: load.accounts }, (_, index) => keys.counter(`account-${index}`));
  return {
    created: created.length,
    counterWrites: sum(counters.map(({ pk }) => table.spent.get(pk) ?? 0)),
    idsLeased: sum(counters.map((key) => Number(table.records.record(key)?.['last'] ?? 0))),
    units: sum([...table.spent.values()]) / load.creates,
    throttled: table.writes.throttled / table.writes.sent,
    retries: sum(answered.map(({ retries }) => retries)) / load.creates,
    roundTrips: sum(answered.map(({ roundTrips }) => roundTrips)) / load.creates,
    unavailable: (answered.length - created.length) / load.creates,
    withoutContainer: withoutContainer / load.creates,
    percentile: (share: number): number => durations[Math.floor(share * durations.length)] ?? Number.NaN,
  };
}

/** What id leases cost, depending on how often a container serves the same account. */
export async function leasesTable(seed: number, choice: Choice = () => true): Promise<PageTable> {
  const rows: string[][] = [];
  for (const load of spreadLoads.filter(choice)) {
    const { accounts, containers, creates, rate } = load;
    const { created, counterWrites, idsLeased, roundTrips, units } = await figuresOf(load, seed);
    rows.push([
      ...[accounts, containers, rate].map((number) => shown(number)),
      shown(creates / accounts / containers, 2),
      shown((counterWrites / creates) * rate),
      percent(1 - created / idsLeased),
      shown(roundTrips, 1),
      shown(units, 1),
    ]);
  }
  return {
    after: '## Id leases',
    head: [
      'Accounts',
      'Containers',
      'Creates per second',
      'Creates per container and account',
      'Counter writes per second',
      'Ids lost',
      'Round trips per create',
      'Write units per create',
    ],
    rows,
  };
}

/** What happens at and beyond the limit of a partition. */
export async function hotTable(seed: number, choice: Choice = () => true): Promise<PageTable> {
  const rows: string[][] = [];
  for (const load of hotLoads.filter(choice)) {
    const { containers, creates, rate, identifiers } = load;
    const figures = await figuresOf(load, seed);
    const seconds = creates / rate;
    rows.push([
      shown(containers),
      String(identifiers),
      seconds === 0 ? `${shown(creates)} at once` : shown(rate),
      seconds === 0 ? '–' : shown(figures.created / seconds),
      percent(figures.throttled),
      shown(figures.retries, 1),
      percent(figures.unavailable),
      percent(figures.withoutContainer),
      shown(figures.percentile(0.5)),
      shown(figures.percentile(0.99)),
    ]);
  }
  return {
    after: '## A hot partition',
    head: [
      'Containers',
      'Identifiers',
      'Creates per second',
      'Created per second',
      'Messages throttled',
      'Retries per create',
      '503',
      'No free container',
      'p50 in ms',
      'p99 in ms',
    ],
    rows,
  };
}
