import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { JsonObject } from '../../../lib/item/json.ts';
import { Database } from '../../../lib/store/database/database.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { stateOf } from '../../support/items/itemModel.ts';
import { MemoryTable } from '../../support/standIns/memoryTable/memoryTable.ts';
import { openTestAccount } from '../../support/table/testTable.ts';
import { check } from '../checker.ts';
import type { ClientRequest, History, Operation, Read } from '../history.ts';
import { startProcess, type Variant } from '../process.ts';
import { Choices } from './choices.ts';
import type { Setting } from './dynamoRequests.ts';
import { item, type Pair } from './pairs.ts';
import { Scheduler } from './scheduler.ts';

const account = 'acme';

// Most errors are part of a schedule, and recording where they were made takes a quarter of the time.
Error.stackTraceLimit = 0;

/**
 * The processes' clocks agree, or differ by less than the permitted skew. A response fails immediately, or never comes.
 */
const settings: readonly Setting[] = [
  { name: 'clocks agree', ahead: [0, 0], responseTimeout: 0 },
  { name: 'the first clock is ahead', ahead: [2_500, 0], responseTimeout: 1_000 },
  { name: 'the second clock is ahead', ahead: [0, 2_500], responseTimeout: 1_000 },
];

/** The state before each schedule: an account with an item that was not written for a long time. */
interface Beginning {
  readonly table: MemoryTable;
  readonly operation: Operation;
}

async function begin({ planted }: Pair): Promise<Beginning> {
  const table = new MemoryTable();
  const database = new Database(table, 'table');
  await openTestAccount({ database }, account);
  const long = Date.UTC(2029, 0, 1);
  const clock = { now: () => long, random: () => 0.5, sleep: async () => undefined };
  const serve = startProcess({ client: table, table: 'table', clock, newWriteId: () => 'stamp-0' });
  const request = { account, body: item.body };
  const response = await serve(request);
  for (const [name, value] of Object.entries(planted))
    table.execute(
      new UpdateCommand({
        TableName: 'table',
        Key: keys.item(account, item.id),
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  return { table, operation: { ...request, began: 0, ended: 1, response } };
}

interface Outcome {
  readonly history: History;
  /** What happened, as text. */
  readonly trace: readonly string[];
}

interface Exploration {
  readonly pair: Pair;
  /** Maximum number of faults. */
  readonly faults: number;
  /** Whether the clock of the second request is ahead, too, and not only that of the first. */
  readonly eitherAhead: boolean;
  /** By default, the real store. */
  readonly variant?: Variant | undefined;
  readonly onSchedule?: () => void;
}

/** One run, determined by its choices. */
async function runSchedule(beginning: Beginning, choices: Choices, exploration: Exploration) {
  const { pair, faults, eitherAhead, variant } = exploration;
  const possible = eitherAhead ? settings : settings.slice(0, 2);
  const setting = possible[choices.pick(possible.length)] as Setting;
  const table = beginning.table.copy();
  const scheduler = new Scheduler(table, choices, setting, faults);
  scheduler.trace.push(setting.name);
  const operations: Operation[] = [beginning.operation];
  const reads: Read[] = [];
  let clock = 2;

  const seen = new Map<unknown, unknown>();
  /** Reads the items that were written since the last read, or all. */
  const read = (all = false): void => {
    for (const record of table.records().filter(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`)) {
      if (!all && seen.get(record['id']) === record['revision']) continue;
      seen.set(record['id'], record['revision']);
      reads.push(readOf(record, clock++));
    }
  };
  const start = (place: number): void => {
    const process = 'ABC'.charAt(place);
    const request: ClientRequest = { account, ...(pair.requests[place] ?? { body: {} }) };
    const operation: Operation = { ...request, began: clock++, ended: Number.POSITIVE_INFINITY };
    operations.push(operation);
    let isDead = false;
    const client = scheduler.client(process, {
      die: () => {
        isDead = true;
      },
      doubled: () => Object.assign(operation, { isDeliveredTwice: true }),
      confirmed: () => Object.assign(operation, { isConfirmed: true }),
      read: () => Object.assign(operation, { isAnsweredByRead: operation.id !== undefined }),
    });
    const newWriteId = () => `stamp-${process}`;
    const serve = startProcess({
      client,
      table: 'table',
      clock: scheduler.clock(setting.ahead[place] ?? 0),
      variant: variant ?? pair.variants?.[place],
      newWriteId,
    });
    scheduler.trace.push(`${process} starts`);
    void serve(request).then((response) => {
      if (isDead) return;
      Object.assign(operation, { response, ended: clock++ });
      scheduler.trace.push(`${process} is answered ${response.status}`);
      read(true);
    });
  };
  await scheduler.run(
    pair.requests.map((_, place) => () => start(place)),
    read,
  );
  const planted = [{ account, id: item.id, fields: pair.planted }];
  const history = { accounts: [account], operations, planted, reads, records: table.records() };
  return { history, trace: scheduler.trace };
}

const readOf = (record: JsonObject, at: number): Read => ({
  account,
  id: Number(record['id']),
  at,
  revision: Number(record['revision']),
  state: stateOf(record),
});

const timestamps = new Set(['written_at', 'sent_at', 'closed_until']);

/** The outcome of a schedule, without parts that no promise covers. Equal outcomes are only checked once. */
const meaning = ({ operations, reads, records }: History): string =>
  JSON.stringify([operations, reads, records], (name, value) =>
    timestamps.has(name) ? undefined : value === Number.POSITIVE_INFINITY ? 'never' : value,
  );

export interface Explored {
  schedules: number;
  /** Number of different outcomes. */
  outcomes: number;
  /** The responses that occurred, such as `200 409`. */
  readonly responses: Set<string>;
  /** A schedule that breaks a promise: what happened, and the violations. */
  violation?: { readonly trace: readonly string[]; readonly violations: readonly string[] };
}

/** Runs every schedule of two requests until one breaks a promise. */
export async function explore(exploration: Exploration): Promise<Explored> {
  const beginning = await begin(exploration.pair);
  const choices = new Choices();
  const checked = new Set<string>();
  const explored: Explored = { schedules: 0, outcomes: 0, responses: new Set() };
  do {
    const { history, trace }: Outcome = await runSchedule(beginning, choices, exploration);
    explored.schedules += 1;
    exploration.onSchedule?.();
    const text = meaning(history);
    if (checked.has(text)) continue;
    checked.add(text);
    explored.outcomes = checked.size;
    explored.responses.add(
      history.operations
        .slice(1)
        .map(({ response }) => response?.status ?? 'none')
        .join(' '),
    );
    const violations = await check(history);
    if (violations.length > 0) return { ...explored, violation: { trace, violations } };
  } while (choices.advance());
  return explored;
}
