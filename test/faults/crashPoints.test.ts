import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { check } from './checker.ts';
import type { Fault } from './faultyClient.ts';
import type { ClientRequest, Operation } from './history.ts';
import { isOpen } from './operations.ts';
import { type Ask, type NextFault, openScene, withoutFaults } from './scene.ts';

/**
 * Only these tests put each fault at each call of every kind of request, its reads and its lease of ids included, and say
 * what the client's repeat is answered.
 */

/** The fault at one of the process's calls: death before or after the call took effect, a lost request or response. */
const faults = [
  'deathBefore',
  'deathAfter',
  'lostBefore',
  'lostAfter',
  'late',
  'garbled',
] as const satisfies readonly Fault[];

type ItemRequest = Omit<ClientRequest, 'account'>;

/** The items that exist before: one with both identifiers and 51 custom fields, and one with neither, both at revision 3. */
interface Items {
  readonly coded: number;
  readonly bare: number;
}

interface Kind {
  readonly requestFor: (items: Items) => ItemRequest;
  readonly done: number;
  /** The response to the repeat if the first was done, but its process died before it could answer. */
  readonly repeated: number;
  /**
   * Faults at the second call that leave the outcome unknown if another request has written recently. In an update
   * without `If-Match`, that call is the optimistic write, which must not be sent again. If its expectations do not
   * hold, that is unknown too.
   */
  readonly unknown?: readonly Fault[];
}

const create = (request: ItemRequest, repeated: number): Kind => ({ requestFor: () => request, done: 201, repeated });

const update = (body: JsonObject, unknown: Kind['unknown'], of: keyof Items = 'coded'): Kind => ({
  requestFor: (items) => ({ id: items[of], body }),
  done: 200,
  repeated: 200,
  ...(unknown && { unknown }),
});

const updateIfMatch = (body: JsonObject): Kind => ({
  requestFor: ({ coded }) => ({ id: coded, body, ifMatch: 3 }),
  done: 200,
  repeated: 412,
});

const manyFields = (value: number): JsonObject =>
  Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`m${index}`, value]));

const held: readonly Fault[] = ['lostBefore', 'late'];
const notHeld: readonly Fault[] = ['lostBefore', 'lostAfter', 'late'];
const coded = { name: 'new', sku: 'N', pn: 'N' };

/** Each kind of request, in a new process. */
const kinds: Readonly<Record<string, Kind>> = {
  // The repeat has another name, because nothing else identifies a create without key and identifiers.
  'a create without codes and key': create({ body: { name: 'new' } }, 201),
  'a create with codes': create({ body: coded }, 409),
  'a create with a key': create({ body: { name: 'new' }, key: 'k' }, 201),
  'a create with codes and a key': create({ body: coded, key: 'k' }, 201),
  'an update of plain fields': update({ value: 7, metadata: { a: 1, b: null } }, held),
  'an update with unchanged codes': update({ sku: 'S', pn: 'P', value: 7 }, held),
  'a change of both codes': update({ sku: 'T', pn: null }, notHeld),
  'a first code': update({ pn: 'N' }, notHeld, 'bare'),
  'a quantity that most units round otherwise': update({ qty: 1.25 }, notHeld),
  'custom fields that may be too many': update({ metadata: manyFields(2) }, notHeld),
  'an update under If-Match': updateIfMatch({ value: 7 }),
  'a change of a code under If-Match': updateIfMatch({ sku: 'T' }),
};

/** A fault at the call with that number, counted from 0. */
interface FaultAt {
  readonly fault: Fault;
  readonly place: number;
}

function meeting(faultsAt: readonly FaultAt[]): { next: NextFault; count: () => number } {
  let calls = 0;
  const next: NextFault = () => {
    const at = faultsAt.find(({ place }) => place === calls);
    calls += 1;
    return at?.fault;
  };
  return { next, count: () => calls };
}

/** A repeated create without a key is another create: the documented exception. It has its own name here. */
const repeatOf = (request: ItemRequest): ItemRequest =>
  request.id === undefined && request.key === undefined ? { body: { ...request.body, name: 'again' } } : request;

/**
 * Creates the items, sends the request through a process with the faults, and repeats it through one without if there
 * is no definite response. All clocks agree.
 */
async function run(requestFor: Kind['requestFor'], faultsAt: readonly FaultAt[] = []) {
  const scene = await openScene(faultsAt[0]?.place ?? 0);
  const account = scene.accounts[0];
  const play = (work: (ask: Ask) => Promise<void>, next = withoutFaults) => scene.play([{ next, work, ahead: 0 }]);
  const idOf = ({ response }: Operation) => Number(response?.data['id']);
  let items: Items = { coded: 0, bare: 0 };
  await play(async (ask) => {
    const bare = idOf(await ask({ account, body: { name: 'bare' } }));
    const id = idOf(await ask({ account, body: { name: 'there', sku: 'S', pn: 'P', metadata: manyFields(1) } }));
    await ask({ account, id, body: { metadata: { more: 1 } } });
    // Below revision 3, the item's revision would show whether a lost update landed.
    for (const again of [bare, bare, id]) await ask({ account, id: again, body: { value: 1 } });
    items = { coded: id, bare };
  });
  const outcomes: Operation[] = [];
  const send = (request: ItemRequest) => async (ask: Ask) => void outcomes.push(await ask({ account, ...request }));
  const { next, count } = meeting(faultsAt);
  const request = requestFor(items);
  await play(send(request), next);
  if (outcomes.every(isOpen)) await play(send(repeatOf(request)));
  const violations = await check(await scene.history());
  await scene.close();
  return { calls: count(), responses: outcomes.map(({ response }) => response), violations };
}

/** The statuses of the request and, if it got no definite response, of its repeat. */
function expected({ done, repeated, unknown = [] }: Kind, { fault, place }: FaultAt, calls: number) {
  const isWrite = place === calls - 1;
  if (fault === 'deathBefore' || fault === 'deathAfter')
    return [undefined, fault === 'deathAfter' && isWrite ? repeated : done];
  return place === 1 && unknown.includes(fault) ? [503, done] : [done];
}

describe('every promise is kept whatever happens at any call of a process', () => {
  it.each(Object.entries(kinds))('in %s', async (_name, kind) => {
    // A process that dies at its first call never makes the others, so count them in one that lives.
    const { calls } = await run(kind.requestFor);
    expect(calls).toBeGreaterThan(1);
    for (const fault of faults)
      for (let place = 0; place < calls; place += 1) {
        const { responses, violations } = await run(kind.requestFor, [{ fault, place }]);
        expect([fault, place, violations]).toEqual([fault, place, []]);
        const statuses = responses.map((response) => response?.status);
        expect([fault, place, statuses]).toEqual([fault, place, expected(kind, { fault, place }, calls)]);
      }
  });
});

describe('every promise is kept whatever happens while a process fences the item after a lost response', () => {
  it.each(Object.entries(kinds).filter(([, { done }]) => done === 200))('in %s', async (_name, kind) => {
    const { calls } = await run(kind.requestFor);
    for (const lost of ['lostBefore', 'lostAfter', 'late'] as const)
      for (const fault of faults)
        for (let place = 1; place < calls; place += 1) {
          const faultsAt: FaultAt[] = [
            { fault: lost, place },
            { fault, place: place + 1 },
          ];
          const { responses, violations } = await run(kind.requestFor, faultsAt);
          expect([faultsAt, violations]).toEqual([faultsAt, []]);
          expect([kind.done, kind.repeated]).toContain(responses.at(-1)?.status);
        }
  });
});
