import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { itemFields, openTestAccount, testCall } from '../support/table/testTable.ts';
import { type Command, isRead, isRequestWrite } from './failures.ts';
import type { ClientResponse } from './history.ts';
import { startProcess, type Variant } from './process.ts';
import { explore } from './schedules/explore.ts';
import { type ItemRequest, item } from './schedules/pairs.ts';
import { noOrder, oldWriter } from './variants/dynamoRequests.ts';
import { variants } from './variants/variants.ts';

/** Longer than any write can be in flight, in milliseconds. An item that was not written for so long is at rest. */
const rest = 60_000;

interface Consequence {
  /** A request of which a write may be late, and requests of others after its response. */
  readonly requests: readonly ItemRequest[];
  /** The stores that break the promise. */
  readonly wrong: readonly (keyof typeof variants)[];
}

const noFence = 'a lost response is resolved without a fence';
const believed = 'a refusal after a lost response is trusted';
const { id } = item;
/** An item that has another identifier. */
const holder = { id: 2, body: { name: 'holder', sku: 'T' } };

const consequences: Readonly<Record<string, Consequence>> = {
  'an acknowledged update is not overwritten by one that was given up before': {
    requests: [
      { id, body: { value: 1 } },
      { id, body: { value: 2 } },
    ],
    wrong: [noFence],
  },
  'a keyed create that was answered 409 creates nothing after the code has become free': {
    requests: [
      { body: { name: 'late', sku: 'S' }, key: 'k' },
      { id, body: { sku: null } },
    ],
    wrong: [believed],
  },
  'a move to a code that was answered 409 changes nothing after the code has become free': {
    requests: [
      { id, body: { sku: 'T', value: 1 } },
      { id: holder.id, body: { sku: null } },
      { id, body: { sku: 'T' } },
    ],
    wrong: [noFence, believed],
  },
  'an update that was answered 412 changes nothing when the item comes to its revision': {
    requests: [
      { id, body: { value: 1 }, ifMatch: [2, 3] },
      { id, body: { value: 2 } },
    ],
    wrong: [noFence],
  },
};

/** Every schedule in which one thing goes wrong, and what is late arrives at any time after. */
describe('a definite response stays true, however late an abandoned write arrives', () => {
  it.each(Object.entries(consequences))('%s', async (_name, { requests, wrong }) => {
    const scenario = { requests, items: [item, holder], isSequence: true };
    expect((await explore({ scenario, faults: 1 })).violation).toBeUndefined();
    for (const name of wrong)
      expect([name, await explore({ scenario, faults: 1, variant: variants[name] })]).toMatchObject([
        name,
        { violation: { violations: expect.any(Array) } },
      ]);
  });
});

describe('a request to DynamoDB that was given up long ago', () => {
  const beginning = Date.UTC(2030, 0, 1);

  /** The response is lost, whatever the request does. */
  const timeout = () => Promise.reject(sdkError('TimeoutError', undefined));

  /**
   * An update is sent and given up, together with its fences. Much later, another one lands, but its response is lost.
   * Before its process looks, a third one overwrites it, and then the first request arrives.
   */
  async function arrange({ variant, withOld = false }: { variant?: Variant; withOld?: boolean } = {}) {
    const table = new MemoryTable();
    let now = beginning;
    const sleep = async (milliseconds: number) => {
      now += milliseconds;
    };
    const clock = { now: () => now, random: () => 0.5, sleep };
    const serve = (name: string, send: (command: Command) => Promise<object>, store = variant) => {
      const client = { send: send as DocumentSender['send'] };
      const request = startProcess({
        client,
        table: 'table',
        clock,
        variant: store,
        newWriteId: () => `stamp-${name}`,
      });
      return (body: JsonObject, ifMatch?: number) =>
        request({ account: 'acme', id: 1, body, ...(ifMatch && { ifMatch }) });
    };
    const deliver = async (command: Command) => table.execute(command);
    await openTestAccount({ database: new Database(table, 'table') }, 'acme');
    const catalog = dynamoItemWriter(new Database(table, 'table', clock));
    await catalog({ ...testCall('acme'), deadline: now + 8_000 }).insertItem(itemFields());
    now += rest;

    const held: Command[][] = [];
    const hold = () => {
      const commands: Command[] = [];
      held.push(commands);
      return (command: Command) => {
        if (isRead(command)) return deliver(command);
        commands.push(command);
        return timeout();
      };
    };
    if (withOld) await serve('old', hold(), oldWriter)({ tag: 'old' });
    const first = await serve('first', hold())({ value: 1 });
    now += rest;
    const third = serve('third', deliver);
    let acknowledged: ClientResponse | undefined;
    const second = await serve('second', async (command) => {
      if (isRead(command)) return deliver(command);
      if (isRequestWrite(command) && acknowledged === undefined) {
        await deliver(command);
        acknowledged = await third({ value: 3 }, 2);
        for (const [write] of held) await deliver(write as Command).catch(() => undefined);
        return timeout();
      }
      return deliver(command);
    })({ value: 2 });
    const stored = table.records().find(({ pk }) => pk === 'ACCOUNT#acme#ITEMS');
    return { responses: [first, second, acknowledged].map((response) => response?.status), value: stored?.['value'] };
  }

  it('does not hide an acknowledged update from the process that looks for a lost one', async () => {
    expect(await arrange()).toEqual({ responses: [503, 503, 200], value: 3 });
    expect(await arrange({ variant: noOrder })).toMatchObject({ value: 2 });
  });

  it('does not either if one of a version without sent_at has landed before it', async () => {
    expect(await arrange({ withOld: true })).toMatchObject({ responses: [503, 503, 200], value: 3 });
  });
});
