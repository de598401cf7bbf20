import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { JsonObject } from '../../../lib/item/json.ts';
import { Database, type DocumentSender } from '../../../lib/store/database/database.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { stateOf } from '../../support/items/itemModel.ts';
import { MemoryTable } from '../../support/standIns/memoryTable/memoryTable.ts';
import { openTestAccount } from '../../support/table/testTable.ts';
import { check } from '../checker.ts';
import type { ClientRequest, ClientResponse, History, Operation, Read } from '../history.ts';
import { type Serve, startProcess, type Variant } from '../process.ts';
import { Choices } from './choices.ts';
import { item, type Scenario, type ScheduledRequest } from './pairs.ts';
import { Scheduler, type Setting } from './scheduler.ts';

/** The account of all requests. */
export const account = 'acme';

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

/**
 * Makes the state before each schedule: an account with items that were not written for a long time.
 * @returns the creates of the items
 */
export async function begin(
  client: DocumentSender,
  { items = [item], planted = {} }: Partial<Scenario>,
  table = 'table',
): Promise<Operation[]> {
  await openTestAccount({ database: new Database(client, table) }, account);
  const long = Date.UTC(2029, 0, 1);
  const clock = { now: () => long, random: () => 0.5, sleep: async () => undefined };
  const serve = startProcess({ client, table, clock, newWriteId: () => 'stamp-0' });
  const operations: Operation[] = [];
  for (const { body } of items) {
    const request = { account, body };
    operations.push({ ...request, began: operations.length, ended: operations.length, response: await serve(request) });
  }
  for (const [name, value] of Object.entries(planted))
    await client.send(
      new UpdateCommand({
        TableName: table,
        Key: keys.item(account, item.id),
        UpdateExpression: 'SET #name = :value',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  return operations;
}

interface Beginning {
  readonly table: MemoryTable;
  readonly operations: readonly Operation[];
}

interface Outcome {
  readonly history: History;
  /** What happened, as text. */
  readonly trace: readonly string[];
}

interface Exploration {
  readonly scenario: Scenario;
  /** Maximum number of faults. */
  readonly faults: number;
  /** Whether the clock of the second request is ahead, too, and not only that of the first. */
  readonly eitherAhead?: boolean;
  /** By default, the real store. */
  readonly variant?: Variant | undefined;
}

/** One run, determined by its choices. */
async function runSchedule(beginning: Beginning, choices: Choices, exploration: Exploration): Promise<Outcome> {
  const { scenario, faults, eitherAhead = false, variant } = exploration;
  const { requests, isSequence = false, variants } = scenario;
  const possible = eitherAhead ? settings : settings.slice(0, 2);
  const setting = possible[choices.pick(possible.length)] as Setting;
  const table = beginning.table.copy();
  const scheduler = new Scheduler(table, choices, setting, { faults, withPreparation: isSequence });
  scheduler.trace.push(setting.name);
  const operations = [...beginning.operations];
  const reads: Read[] = [];
  let clock = operations.length;

  const seen = new Map<unknown, unknown>();
  /** Reads the items that were written since the last read, or all. */
  const read = (all = false): void => {
    for (const record of table.records().filter(({ pk }) => pk === `ACCOUNT#${account}#ITEMS`)) {
      if (!all && seen.get(record['id']) === record['revision']) continue;
      seen.set(record['id'], record['revision']);
      reads.push(readOf(record, clock++));
    }
  };
  const waiting = [...requests.entries()];
  let running = 0;
  const start = ([place, request]: [number, ScheduledRequest]): void => {
    waiting.splice(
      waiting.findIndex(([other]) => other === place),
      1,
    );
    running += 1;
    const process = 'ABC'.charAt(place);
    const began = clock++;
    const sent = operationsOf(request).map((each): Operation => ({ ...each, began, ended: Number.POSITIVE_INFINITY }));
    operations.push(...sent);
    const mark = (what: Partial<Operation>, isMeant: (operation: Operation) => boolean = () => true) => {
      for (const operation of sent) if (isMeant(operation)) Object.assign(operation, what);
    };
    let isDead = false;
    const client = scheduler.client(process, {
      die: () => {
        isDead = true;
        running -= 1;
      },
      doubled: () => mark({ isDeliveredTwice: true }),
      // A batch's request to DynamoDB may be for any of its rows.
      confirmed: () => mark({ isConfirmed: true }, () => sent.length === 1),
      read: () => mark({ isAnsweredByRead: true }, ({ id }) => id !== undefined),
    });
    let writes = 0;
    const serve = startProcess({
      client,
      table: 'table',
      clock: scheduler.clock(setting.ahead[place] ?? 0),
      variant: variant ?? variants?.[place],
      newWriteId: () => `stamp-${process}${++writes}`,
    });
    scheduler.trace.push(`${process} starts`);
    void responsesTo(request, serve).then((responses) => {
      if (isDead) return;
      for (const [index, response] of responses.entries())
        Object.assign(sent[index] ?? {}, { response, ended: clock++ });
      scheduler.trace.push(`${process} is answered ${statusesOf(sent)}`);
      read(true);
      running -= 1;
    });
  };
  const startable = () => (isSequence ? waiting.slice(0, running === 0 ? 1 : 0) : waiting);
  await scheduler.run(() => startable().map((each) => () => start(each)), read);
  const planted = [{ account, id: item.id, fields: scenario.planted ?? {} }];
  const history = { accounts: [account], operations, planted, reads, records: table.records() };
  return { history, trace: scheduler.trace };
}

const operationsOf = (request: ScheduledRequest): ClientRequest[] =>
  'rows' in request
    ? request.rows.map((row, index) => {
        const { key, skipsUnchanged = false } = request;
        return { account, ...row, key: `${key} ${index + 1}`, skipsUnchanged };
      })
    : [{ account, ...request }];

const responsesTo = async (request: ScheduledRequest, serve: Serve): Promise<readonly ClientResponse[]> =>
  'rows' in request
    ? serve.batch(
        request.rows.map((row) => ({ account, ...row })),
        request.key,
        request.skipsUnchanged ? { field: 'sku', unchanged: 'skip' } : undefined,
      )
    : [await serve({ account, ...request })];

/** Such as `200 409`. */
const statusesOf = (operations: readonly Operation[]): string =>
  operations.map(({ response }) => response?.status ?? 'none').join(' ');

const readOf = (record: JsonObject, at: number): Read => ({
  account,
  id: Number(record['id']),
  at,
  revision: Number(record['revision']),
  state: stateOf(record),
});

/** The outcome of a schedule, without parts that no promise covers. Equal outcomes are only checked once. */
const meaning = ({ operations, reads, records }: History): string =>
  JSON.stringify([operations, reads, records.map(({ written_at, sent_at, closed_until, ...rest }) => rest)]);

interface Explored {
  schedules: number;
  /** The responses that occurred, such as `200 409`. */
  readonly responses: Set<string>;
  /** A schedule that breaks a promise: what happened, and the violations. */
  violation?: { readonly trace: readonly string[]; readonly violations: readonly string[] };
}

/** Runs every schedule of a scenario until one breaks a promise. */
export async function explore(exploration: Exploration): Promise<Explored> {
  const table = new MemoryTable();
  const beginning = { table, operations: await begin(table, exploration.scenario) };
  const choices = new Choices();
  const checked = new Set<string>();
  const explored: Explored = { schedules: 0, responses: new Set() };
  do {
    const { history, trace } = await runSchedule(beginning, choices, exploration);
    explored.schedules += 1;
    const text = meaning(history);
    if (checked.has(text)) continue;
    checked.add(text);
    explored.responses.add(statusesOf(history.operations.slice(beginning.operations.length)));
    const violations = await check(history);
    if (violations.length > 0) return { ...explored, violation: { trace, violations } };
  } while (choices.advance());
  return explored;
}
