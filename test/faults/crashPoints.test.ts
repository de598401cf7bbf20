import { describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import type { Fault } from './faultyClient.ts';
import type { Ask, AskedRequest, NextFault, Operation } from './history.ts';
import { openScene, withoutFaults } from './history.ts';

/** What the process meets at one of its calls: its death before or after the call took effect, or a lost message. */
const faults: readonly Fault[] = ['deathBefore', 'deathAfter', 'lostBefore', 'lostAfter'];

type Asked = Omit<AskedRequest, 'account'>;

/** Each kind of request, in a process that has just started; the item is the one that is there before. */
const kinds: Readonly<Record<string, (id: number) => Asked>> = {
  'a create without codes and key': () => ({ body: { name: 'new' } }),
  'a create with codes': () => ({ body: { name: 'new', sku: 'N', pn: 'N' } }),
  'a create with a key': () => ({ body: { name: 'new' }, key: 'k' }),
  'a create with codes and a key': () => ({ body: { name: 'new', sku: 'N', pn: 'N' }, key: 'k' }),
  'an update of plain fields': (id) => ({ id, body: { value: 7, metadata: { a: 1, b: null } } }),
  'an update under If-Match': (id) => ({ id, body: { value: 7 }, ifMatch: 1 }),
  'an update with unchanged codes': (id) => ({ id, body: { sku: 'S', pn: 'P', value: 7 } }),
  'a change of both codes': (id) => ({ id, body: { sku: 'T', pn: null } }),
  'a quantity that most units round otherwise': (id) => ({ id, body: { qty: 1.25 } }),
};

/** Meets the fault at the call of that number, counted from 0, and none at the others. */
function faultAt(place: number, fault: Fault): { next: NextFault; count: () => number } {
  let calls = 0;
  return { next: () => (calls++ === place ? fault : undefined), count: () => calls };
}

const wasNotTold = (operation: Operation | undefined): boolean =>
  operation?.answer === undefined || operation.answer.status === 503;

/** Without a key, a create that is repeated is another one: the documented exception. It has a name of its own here. */
const repeatOf = (request: Asked): Asked =>
  request.id === undefined && request.key === undefined ? { body: { ...request.body, name: 'again' } } : request;

/** Makes the item, sends the request through a process with the fault, and repeats it through a sound one when nothing is told. */
async function runWithFault(asked: (id: number) => Asked, place: number, fault: Fault, quiet = 0) {
  const scene = await openScene(place);
  const account = scene.accounts[0];
  let id = 0;
  const prepare = async (ask: Ask) => {
    const { answer } = await ask({ account, body: { name: 'there', sku: 'S', pn: 'P' } });
    id = Number(answer?.data['id']);
  };
  await scene.play([{ next: withoutFaults, work: prepare }]);
  await scene.pass(quiet);
  const outcomes: Operation[] = [];
  const send = (request: Asked) => async (ask: Ask) => void outcomes.push(await ask({ account, ...request }));
  const { next, count } = faultAt(place, fault);
  const request = asked(id);
  await scene.play([{ next, work: send(request) }]);
  if (wasNotTold(outcomes[0])) await scene.play([{ next: withoutFaults, work: send(repeatOf(request)) }]);
  return { calls: count(), outcomes, violations: await check(await scene.history()) };
}

describe.each(Object.keys(kinds))('%s', (kind) => {
  it.each(faults)('keeps every promise after %s at each of its calls', async (fault) => {
    const asked = kinds[kind] as (id: number) => Asked;
    for (let place = 0, calls = 1; place < calls; place += 1) {
      const { calls: made, outcomes, violations } = await runWithFault(asked, place, fault);
      calls = Math.max(calls, made);
      expect([place, violations]).toEqual([place, []]);
      expect(outcomes.map(({ answer }) => answer?.status)).not.toContain(500);
      if (outcomes[0]?.key !== undefined) expect([place, outcomes.at(-1)?.answer?.status]).toEqual([place, 201]);
    }
  });
});

describe('a plain update whose message or answer was lost', () => {
  const update = (id: number): Asked => ({ id, body: { value: 7 } });
  const lost = ['lostBefore', 'lostAfter'] as const;
  /** The calls of a process that has just started: the configuration, then the update. */
  const place = 1;

  it.each(lost)('is done after all when nobody has written for long (%s)', async (fault) => {
    const { outcomes, violations } = await runWithFault(update, place, fault, 60_000);
    expect([outcomes.map(({ answer }) => [answer?.status, answer?.revision]), violations]).toEqual([[[200, 2]], []]);
  });

  it('is not told to be done when another may have written meanwhile', async () => {
    const { outcomes, violations } = await runWithFault(update, place, 'lostBefore');
    expect([outcomes.map(({ answer }) => [answer?.status, answer?.revision]), violations]).toEqual([
      [
        [503, 0],
        [200, 2],
      ],
      [],
    ]);
  });
});
