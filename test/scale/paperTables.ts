import { settingsOf } from '../../infra/environments.ts';
import { awsLimits } from './awsLimits.ts';
import type { PageTable } from './pageTable.ts';
import { shown, sum } from './pageTable.ts';
import type { UnitsByPartition } from './unitsByPartition.ts';
import { unitsOfCreate, unitsOfUpdate } from './unitsByPartition.ts';

/** The limits of AWS, with their sources. */
export const limitsTable = (): PageTable => ({
  after: '## AWS limits',
  head: ['Limit', 'Default', 'Can be raised', 'Source'],
  rows: Object.values(awsLimits).map(({ what, value, canBeRaised, source }) => [
    what,
    shown(value),
    canBeRaised ? 'yes' : 'no',
    source,
  ]),
});

const totalOf = ({ items, list, counter, single }: UnitsByPartition): number => sum([items, list, counter, single]);

/** The writes in the table, and where docs/design.md has their measured total: the row, and the position in its cell. */
export const writes = {
  'create without identifiers': {
    units: () => unitsOfCreate([]),
    measured: ['create without identifiers and key', 0],
  },
  'create with two identifiers': {
    units: () => unitsOfCreate(['sku', 'pn']),
    measured: ['create with one identifier, with two', 1],
  },
  'the same with an `Idempotency-Key`': {
    units: () => unitsOfCreate(['sku', 'pn'], true),
    measured: ['the same with an `Idempotency-Key`, without identifiers and with', 2],
  },
  'update of any other field': {
    units: () => unitsOfUpdate({ value: 2 }),
    measured: ['update of any other fields, with identifiers and name unchanged, with `If-Match`', 0],
  },
  'update of `active`, `category` or `type`': {
    units: () => unitsOfUpdate({ active: false }),
    measured: ['update of `active`, `category` or `type`, of `name`', 0],
  },
  'update of `name`': {
    units: () => unitsOfUpdate({ name: 'Table' }),
    measured: ['update of `active`, `category` or `type`, of `name`', 1],
  },
  'update that changes one identifier': {
    units: () => unitsOfUpdate({ sku: 'CH-2' }),
    measured: ['update that changes one identifier', 0],
  },
} as const satisfies Record<
  string,
  { units: () => Promise<UnitsByPartition>; measured: readonly [row: string, place: number] }
>;

/** Which partitions the units of a write come from, and how many such writes one account can sustain. */
export async function unitsTable(): Promise<PageTable> {
  const rows = Object.entries(writes).map(async ([write, { units }]) => {
    const taken = await units();
    const { items, list, single, counter } = taken;
    const most = awsLimits.partitionWrites.value / Math.max(items, list);
    return [
      write,
      ...[items, list, single, counter, totalOf(taken)].map((each) => shown(each, 1)),
      shown(Math.floor(most)),
    ];
  });
  return {
    after: '## One account',
    head: ['Write', 'Items', 'List', 'Guards, key', 'Counter', 'Total', 'Maximum per second'],
    rows: await Promise.all(rows),
  };
}

/** Creates per second. */
const rates = [10, 1_000, 5_000, 100_000];

interface Need {
  readonly what: string;
  readonly limit: number;
  /** What this many creates per second use. */
  readonly of: (creates: number) => number;
}

function needs({ items, list, counter, single }: UnitsByPartition): Need[] {
  const { throttling, firewall, reservedConcurrency = Number.NaN } = settingsOf('prod');
  const tokenRate = (firewall?.tokenRate ?? Number.NaN) / 300;
  const requests = (creates: number): number => creates;
  const executions = (creates: number): number => creates / awsLimits.requestsPerExecution.value;
  const units = (ofEach: number) => (creates: number) => creates * ofEach;
  const { tableWrites, partitionWrites, gatewayRequests, concurrency } = awsLimits;
  return [
    { what: 'requests per second with one token, firewall of `prod`', limit: tokenRate, of: requests },
    { what: 'requests per second, stage throttling of `prod`', limit: throttling.rate, of: requests },
    { what: 'requests per second, API Gateway', limit: gatewayRequests.value, of: requests },
    { what: 'concurrent executions (at least), reserved in `prod`', limit: reservedConcurrency, of: executions },
    { what: 'concurrent executions (at least), AWS account', limit: concurrency.value, of: executions },
    { what: 'write units per second, table', limit: tableWrites.value, of: units(items + counter + single) },
    { what: 'write units per second, index', limit: tableWrites.value, of: units(list) },
    {
      what: 'write units per second, items of one account if all are in it',
      limit: partitionWrites.value,
      of: units(items),
    },
  ];
}

/** How much of each limit creates with two identifiers use. */
export async function needsTable(): Promise<PageTable> {
  const cell = (need: number, limit: number): string => (need > limit ? `**${shown(need)}**` : shown(need));
  return {
    after: '## One table',
    head: ['Creates with two identifiers per second', 'Limit', ...rates.map((creates) => shown(creates))],
    rows: needs(await unitsOfCreate(['sku', 'pn'])).map(({ what, limit, of }) => [
      what,
      shown(limit),
      ...rates.map((creates) => cell(of(creates), limit)),
    ]),
  };
}
