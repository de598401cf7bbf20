import { expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { stateOf } from '../support/itemModel.ts';
import { check } from './checker.ts';
import type { ClientRequest, ClientResponse, Operation, Read } from './history.ts';
import { type Ask, openScene, withoutFaults } from './scene.ts';

const tooMany = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 1]));

/** Requests of one client, one after the other. Most are about the item that the first creates. */
const requests = {
  create: { body: { name: 'chair', sku: 'S' }, key: 'k' },
  again: { body: { name: 'chair', sku: 'S' }, key: 'k' },
  reuse: { body: { name: 'other' }, key: 'k' },
  merge: { id: 1, body: { metadata: { a: 1 } } },
  value: { id: 1, body: { value: 7 } },
  qty: { id: 1, body: { qty: 2 } },
  table: { body: { name: 'table' } },
  taken: { body: { name: 'desk', sku: 'S' } },
  outdated: { id: 1, body: { value: 8 }, ifMatch: 1 },
  tooMuch: { id: 1, body: { metadata: tooMany } },
  free: { id: 1, body: { sku: null } },
} satisfies Readonly<Record<string, Omit<ClientRequest, 'account'>>>;

type Changeable<Part> = { -readonly [Name in keyof Part]: Part[Name] };
/** A request and its response. */
type Told = Changeable<Operation> & { response: Changeable<ClientResponse> };

/** The history of these requests as the real store answers them, to be changed. */
async function record() {
  const scene = await openScene(1);
  const [account] = scene.accounts;
  const told: Record<string, Told> = {};
  const work = async (ask: Ask) => {
    for (const [name, request] of Object.entries(requests)) told[name] = (await ask({ account, ...request })) as Told;
  };
  await scene.play([{ next: withoutFaults, work, ahead: 0 }]);
  const { operations, reads, records, ...others } = await scene.history();
  const history = { ...others, operations: [...operations], reads: [...reads], records: [...records] };
  await scene.close();
  return {
    history,
    ...(told as Record<keyof typeof requests, Told>),
    stored: (has: (record: JsonObject) => boolean) => records.find(has) as Changeable<JsonObject>,
  };
}
type Recorded = Awaited<ReturnType<typeof record>>;

const isNamed =
  (name: string) =>
  (one: JsonObject): boolean =>
    one['name'] === name;
const isKey = ({ sk }: JsonObject): boolean => sk === 'REQUEST';

/** The first item as it was read right after a request, at a revision and with the state that a response showed. */
const readAfter = ({ account, ended }: Told, revision: number, { response }: Told): Read => {
  return { account, id: 1, at: ended + 0.5, revision, state: stateOf(response.data) };
};

const unexplained = 'no order of writes explains item 1 (chair):';

/** What the checker says of changes of the history that no wrong store in variants.test.ts causes. */
const violations: Readonly<Record<string, (all: Recorded) => unknown>> = {
  [`${unexplained} the update answered revision 2 was not there when it was read later`]: ({
    history,
    merge,
    create,
  }) => history.reads.push(readAfter(merge, 1, create)),
  [`${unexplained} the update answered revision 2 was read before it was requested`]: ({ history, create, merge }) =>
    history.reads.push(readAfter(create, 2, merge)),
  [`${unexplained} the create was not there when it was read later`]: ({ history, create }) =>
    history.reads.push(readAfter(create, 0, create)),
  // The second time, after its response.
  [`${unexplained} nobody can have written revision 6`]: ({ history, stored, free }) => {
    Object.assign(free, { isDeliveredTwice: true });
    Object.assign(stored(isNamed('chair')), { revision: 6 });
    history.reads.push(readAfter(free, 5, free));
  },
  [`${unexplained} an update was answered revision 9 of 5`]: ({ free }) =>
    Object.assign(free.response, { revision: 9 }),
  [`${unexplained} the update answered revision 4 was to be made at revision 1 only`]: ({ qty }) =>
    Object.assign(qty, { ifMatch: 1 }),
  [`${unexplained} the update answered revision 3 had ended before an earlier one began`]: ({ merge, free }) =>
    Object.assign(merge, { began: free.ended + 1, ended: free.ended + 2 }),
  [`${unexplained} the update answered revision 4 left too many custom fields`]: ({ qty }) =>
    Object.assign(qty, { body: { metadata: tooMany } }),
  'a response is not documented: update 500 INTERNAL_ERROR to {"value":8}': ({ outdated }) =>
    Object.assign(outdated.response, { status: 500, code: 'INTERNAL_ERROR' }),
  'a response is not documented: update 412 PRECONDITION_FAILED to {"value":8}': ({ outdated }) =>
    delete outdated.ifMatch,
  'a response is not documented: create 201 replayed to {"name":"chair","sku":"S"}': ({ again }) => delete again.key,
  'a create was answered 503 although nothing went wrong': ({ table }) =>
    Object.assign(table, { isConfirmed: false, isWithoutFaults: true, response: { ...table.response, status: 503 } }),
  'a create was answered with another item or state: chair': ({ again }) =>
    Object.assign(again.response, { data: { ...again.response.data, id: 9 } }),
  'an update of item 1 was answered with item 9': ({ qty }) =>
    Object.assign(qty.response, { data: { ...qty.response.data, id: 9 } }),
  'a response names item 9, which account acme does not have': ({ history, qty }) =>
    history.operations.push({ ...qty, id: 9, response: { ...qty.response, data: { ...qty.response.data, id: 9 } } }),
  'the key k2 does not explain 422 to {"name":"other"}': ({ reuse }) => Object.assign(reuse, { key: 'k2' }),
  // Its own.
  'a 409 had no other holder: {"sku":"S"}': ({ taken }) => Object.assign(taken, { id: 1, body: { sku: 'S' } }),
  // Free again.
  'a 409 had no other holder: {"name":"desk","sku":"S"}': ({ taken, free }) =>
    Object.assign(taken, { began: free.ended + 1, ended: free.ended + 2 }),
  'item 1 was at revision 4 when a 412 said that it was not': ({ outdated }) => Object.assign(outdated, { ifMatch: 4 }),
  'a 412 showed item 1 at revision 3 with wrong values': ({ outdated, value }) =>
    Object.assign(outdated.response, { data: value.response.data, revision: 3 }),
  'a 412 showed item 1 at revision 4 with wrong values': ({ outdated, value }) =>
    Object.assign(outdated.response, { data: value.response.data }),
  'item 1 had room when a 422 said that it had not: {"metadata":{"b":1}}': ({ tooMuch }) =>
    Object.assign(tooMuch, { body: { metadata: { b: 1 } } }),
  'a created item does not exist: table': ({ history, stored }) =>
    history.records.splice(history.records.indexOf(stored(isNamed('table'))), 1),
  'no order of writes explains item 4 (bench): nobody created it': ({ stored }) =>
    Object.assign(stored(isNamed('table')), { name: 'bench' }),
  'an item crossed accounts: table': ({ stored }) =>
    Object.assign(stored(isNamed('table')), { pk: 'ACCOUNT#other#ITEMS' }),
  'an identifier exists twice: acme SKU S': ({ stored }) =>
    ['chair', 'table'].map((name) => Object.assign(stored(isNamed(name)), { sku: 'S' })),
  'id 1 is above the counter': ({ stored }) =>
    Object.assign(
      stored(({ pk }) => pk === 'ACCOUNT#acme#COUNTER'),
      { last: 0 },
    ),
  'a stored key created no item: acme chair 9': ({ stored }) =>
    Object.assign(stored(isKey), { item: { ...(stored(isKey)['item'] as JsonObject), id: 9 } }),
  'two keys are stored for one item: acme chair 1': ({ history, stored }) =>
    history.records.push({ ...stored(isKey), pk: `${stored(isKey)['pk']}0` }),
};

it('the checker finds nothing in the history of the real store', async () => {
  expect(await check((await record()).history)).toEqual([]);
});

it.each(Object.entries(violations))('the checker finds %s', async (violation, change) => {
  const all = await record();
  change(all);
  expect(await check(all.history)).toContain(violation);
});
