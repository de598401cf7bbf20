import { describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import { isRequestWrite } from './failures.ts';
import type { AskedRequest, Operation } from './history.ts';
import type { Variant } from './process.ts';
import type { Ask, NextFault, Scene } from './scene.ts';
import { openScene, withoutFaults } from './scene.ts';
import { variants } from './variants/variants.ts';

type Asked = Omit<AskedRequest, 'account'>;

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
async function ask(scene: Scene, asked: Asked, next: NextFault = withoutFaults): Promise<Operation> {
  const [account] = scene.accounts;
  let operation: Operation | undefined;
  const work = async (send: Ask) => {
    operation = await send({ account, ...asked });
  };
  await scene.play([{ next, work, ahead: 0 }]);
  return operation as Operation;
}

const idOf = ({ answer }: Operation): number => Number(answer?.data['id']);

interface Consequence {
  readonly late: (id: number) => Asked;
  /** Requests of others between its answer and the arrival. The holder is an item with the identifier `T`. */
  readonly others: (id: number, holder: number) => readonly Asked[];
  /** Which of the request's writes is late. By default, the first. */
  readonly place?: number;
  /** A store that breaks the promise. */
  readonly wrong: keyof typeof variants;
}

/**
 * An item at rest with an identifier, a request whose write is late, and requests of others between its answer and that
 * write. @returns the violations
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

const noFence = 'a lost answer is resolved without a fence';
const believed = 'a refusal after a lost answer is trusted';

const consequences: Readonly<Record<string, Consequence>> = {
  'an acknowledged update is not overwritten by one that was given up before': {
    late: (id) => ({ id, body: { value: 1 } }),
    others: (id) => [{ id, body: { value: 2 } }],
    wrong: noFence,
  },
  'a keyed create that was told 409 is not there when the code has become free': {
    late: () => ({ body: { name: 'late', sku: 'S' }, key: 'k' }),
    others: (id) => [{ id, body: { sku: null } }],
    wrong: believed,
  },
  'a move to a code that was told 409 is not done when the code has become free': {
    late: (id) => ({ id, body: { sku: 'T', value: 1 } }),
    others: (id, holder) => [
      { id: holder, body: { sku: null } },
      { id, body: { sku: 'T' } },
    ],
    wrong: noFence,
  },
  'the same, when it is the second of its writes that is late': {
    late: (id) => ({ id, body: { sku: 'T', value: 1 } }),
    others: (_id, holder) => [{ id: holder, body: { sku: null } }],
    place: 2,
    wrong: believed,
  },
  'an update that was told 412 is not done when the item comes to its revision': {
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
