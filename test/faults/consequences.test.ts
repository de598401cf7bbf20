import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoCatalog.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { itemFields, openTestAccount, testCall } from '../support/table/testTable.ts';
import { check } from './checker.ts';
import { type Command, isRead, isRequestWrite } from './failures.ts';
import type { ClientRequest, ClientResponse, Operation } from './history.ts';
import { startProcess, type Variant } from './process.ts';
import { type Ask, type NextFault, openScene, type Scene, withoutFaults } from './scene.ts';
import { oldWriter } from './variants/dynamoRequests.ts';
import { arrangedVariants, variants } from './variants/variants.ts';

type ItemRequest = Omit<ClientRequest, 'account'>;

/** Number of runs of each scene. They differ in the order and the duration of concurrent events. */
const arranged = 20;

/** Longer than any write can be in flight, in milliseconds. An item that was not written for so long is at rest. */
const rest = 60_000;

const coded = { name: 'coded', sku: 'S' };

/** Makes one write of a request, counted from 1, arrive when nobody waits for it any more. Nothing else goes wrong. */
function lateWrite(place: number): NextFault {
  let writes = 0;
  return (_random, command) => (isRequestWrite(command) && ++writes === place ? 'late' : undefined);
}

/** Sends a request to a new process, whose clock agrees with the others'. */
async function ask(scene: Scene, request: ItemRequest, next: NextFault = withoutFaults): Promise<Operation> {
  const [account] = scene.accounts;
  let operation: Operation | undefined;
  const work = async (send: Ask) => {
    operation = await send({ account, ...request });
  };
  await scene.play([{ next, work, ahead: 0 }]);
  return operation as Operation;
}

const idOf = ({ response }: Operation): number => Number(response?.data['id']);

interface Consequence {
  readonly late: (id: number) => ItemRequest;
  /** Requests of others between its response and the arrival. The holder is an item with the identifier `T`. */
  readonly others: (id: number, holder: number) => readonly ItemRequest[];
  /** Which of the request's writes is late. By default, the first. */
  readonly place?: number;
  /** A store that breaks the promise. */
  readonly wrong: keyof typeof variants;
}

/**
 * An item at rest with an identifier, a request whose write is late, and requests of others between its response and
 * that write. @returns the violations
 */
async function afterwards(seed: number, { late, others, place = 1 }: Consequence, variant?: Variant) {
  const scene = await openScene(seed, variant);
  const id = idOf(await ask(scene, { body: coded }));
  const holder = idOf(await ask(scene, { body: { name: 'holder', sku: 'T' } }));
  await scene.pass(rest);
  await ask(scene, late(id), lateWrite(place));
  for (const other of others(id, holder)) await ask(scene, other);
  const violations = await check(await scene.history());
  await scene.close();
  return violations;
}

const noFence = 'a lost response is resolved without a fence';
const believed = 'a refusal after a lost response is trusted';

const consequences: Readonly<Record<string, Consequence>> = {
  'an acknowledged update is not overwritten by one that was given up before': {
    late: (id) => ({ id, body: { value: 1 } }),
    others: (id) => [{ id, body: { value: 2 } }],
    wrong: noFence,
  },
  'a keyed create that was answered 409 creates nothing after the code has become free': {
    late: () => ({ body: { name: 'late', sku: 'S' }, key: 'k' }),
    others: (id) => [{ id, body: { sku: null } }],
    wrong: believed,
  },
  'a move to a code that was answered 409 changes nothing after the code has become free': {
    late: (id) => ({ id, body: { sku: 'T', value: 1 } }),
    others: (id, holder) => [
      { id: holder, body: { sku: null } },
      { id, body: { sku: 'T' } },
    ],
    wrong: noFence,
  },
  'a move to a code that was answered 409 changes nothing when its second write is late': {
    late: (id) => ({ id, body: { sku: 'T', value: 1 } }),
    others: (_id, holder) => [{ id: holder, body: { sku: null } }],
    place: 2,
    wrong: believed,
  },
  'an update that was answered 412 changes nothing when the item comes to its revision': {
    late: (id) => ({ id, body: { value: 1 }, ifMatch: [2, 3] }),
    others: (id) => [{ id, body: { value: 2 } }],
    wrong: noFence,
  },
};

describe('a definite response stays true, however late an abandoned write arrives', () => {
  it.each(Object.entries(consequences))('%s', async (_name, consequence) => {
    let broken = 0;
    for (let seed = 1; seed <= arranged; seed += 1) {
      expect([seed, await afterwards(seed, consequence)]).toEqual([seed, []]);
      if ((await afterwards(seed, consequence, variants[consequence.wrong])).length > 0) broken += 1;
    }
    expect(broken).toBe(arranged);
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
    const variant = arrangedVariants['an old update lands on a newer write'];
    expect(await arrange({ variant })).toMatchObject({ value: 2 });
  });

  it('does not either if one of a version without sent_at has landed before it', async () => {
    expect(await arrange({ withOld: true })).toMatchObject({ responses: [503, 503, 200], value: 3 });
  });
});
