import { describe, expect, it } from 'vitest';
import type { ItemFields } from '../../lib/item/fields.ts';
import type { NewItem } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { newCategoryRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { putIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import type { ItemState } from '../support/itemModel.ts';
import { created, updated } from '../support/itemModel.ts';
import { counter, guard } from '../support/storedRecords.ts';
import { itemFields, testCall } from '../support/testTable.ts';
import { check } from './checker.ts';
import type { Operation, Planted, Read } from './history.ts';

/**
 * The rules that no wrong store in variants.test.ts breaks, each broken by hand. That the checker raises no false alarm is
 * shown by the histories and schedules of the real store.
 */
const account = 'acme';

/** A request and its answer. `began` and `ended` are only given if it was not in sequence. */
type ReportedOperation = Pick<Operation, 'body'> & Partial<Operation>;
type Parts<Part> = Readonly<Record<string, Part | undefined>>;

const fulfilled = (status: 200 | 201, id: number, revision: number, state: ItemState, replayed = false) => ({
  status,
  code: undefined,
  data: { id, ...state } as unknown as JsonObject,
  revision,
  replayed,
});
const refused = (status: number, code: string) => ({ status, code, data: {}, revision: Number.NaN, replayed: false });
/** A 412, which has the current item. */
const outdated = (id: number, revision: number, state: ItemState) => ({
  ...fulfilled(200, id, revision, state),
  ...{ status: 412, code: 'PRECONDITION_FAILED' },
});
const busy = refused(503, 'SERVICE_UNAVAILABLE');

const itemOf = (id: number, revision: number, state: object): NewItem => ({
  ...itemFields(state as Partial<ItemFields>),
  id,
  revision,
  createdAt: 1,
});
const record = (id: number, revision: number, state: object, owner = account): JsonObject =>
  newItemRecord(testCall(owner), itemOf(id, revision, state));
const storedKey = (key: string, item: NewItem): JsonObject =>
  putIdempotencyRecord(testCall(account), { key, sent: { name: 'f' } }, item, Date.now()).Put.Item;
const manyFields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 1]));

const chair = { name: 'chair', sku: 'S' };
const table = { name: 'table' };
const tableWithSku = { ...table, sku: 'S' };
/** The chair at each of its revisions. */
const first = created(chair);
const second = updated(first, { metadata: { a: 1 } });
const third = updated(second, { value: 7 });
const fourth = updated(third, { qty: 2 });

/** A valid history, one operation after the other. Only `lost` got no answer, but was done. */
const requests = {
  create: { body: chair, key: 'k', answer: fulfilled(201, 1, 1, first) },
  again: { body: chair, key: 'k', answer: fulfilled(201, 1, 1, first, true) },
  reuse: { body: { name: 'other' }, key: 'k', answer: refused(422, 'IDEMPOTENCY_KEY_REUSED') },
  update: { id: 1, body: { metadata: { a: 1 } }, answer: fulfilled(200, 1, 2, second) },
  lost: { id: 1, body: { value: 7 } },
  last: { id: 1, body: { qty: 2 }, answer: fulfilled(200, 1, 4, fourth) },
  taken: { body: { name: 'desk', sku: 'S' }, answer: refused(409, 'ITEM_ALREADY_EXISTS') },
  outdated: { id: 1, body: { value: 8 }, ifMatch: 1, answer: outdated(1, 4, fourth) },
  tooMuch: { id: 1, body: { metadata: manyFields }, answer: refused(422, 'VALIDATION_FAILED') },
} satisfies Parts<ReportedOperation>;
/** The records that its items reference. */
const configuration: readonly JsonObject[] = [account, 'other'].flatMap((owner) => [
  newUnitRecord(owner, 'un', 0),
  newCategoryRecord(owner, 1, 'General'),
]);
/** Its records at the end. */
const stored = {
  item: record(1, 4, fourth),
  guard: guard(account, 'sku', 'S', 1),
  key: storedKey('k', itemOf(1, 1, first)),
  counter: counter(account, 10),
};

/** The item as read right after the operation with that name had ended. */
const readAfter = (name: keyof typeof requests, revision: number, state: ItemState): Read => ({
  account,
  id: 1,
  at: 2 * Object.keys(requests).indexOf(name) + 1.5,
  revision,
  state,
});

const present = <Part>(parts: Parts<Part>): Part[] => Object.values(parts).filter((part) => part !== undefined);

/** The violations in the valid history with changed or additional parts. Undefined omits a part. */
const against = (
  operations: Parts<ReportedOperation>,
  records: Parts<JsonObject> = {},
  planted: readonly Planted[] = [],
  reads: readonly Read[] = [],
) =>
  check({
    accounts: [account, 'other'],
    operations: present<ReportedOperation>({ ...requests, ...operations }).map((operation, turn) => ({
      account,
      began: 2 * turn,
      ended: operation.answer === undefined ? Number.POSITIVE_INFINITY : 2 * turn + 1,
      ...operation,
    })),
    planted,
    reads,
    records: [...configuration, ...present({ ...stored, ...records })],
  });

/** An additional create without a key, and its item. */
const tableCreate: ReportedOperation = { body: table, answer: fulfilled(201, 2, 1, created(table)) };
const tableRecord = record(2, 1, created(table));
const uncoded = updated(fourth, { sku: null });
const unexplained = (why: string, item = '1 (chair)') => `no order of writes explains item ${item}: ${why}`;

describe('the checker compares definite responses with later reads', () => {
  it.each<[string, Read, string]>([
    [
      'an update that is gone',
      readAfter('update', 1, first),
      'the update answered revision 2 was not there when it was read later',
    ],
    [
      'a state that nobody had requested',
      readAfter('create', 2, second),
      'the update answered revision 2 was read before it was requested',
    ],
    ['a create that is gone', readAfter('create', 0, first), 'the create was not there when it was read later'],
  ])('and rejects %s', async (_case, read, why) => {
    expect(await against({}, {}, [], [read])).toEqual([unexplained(why)]);
  });
});

describe('an update with a message that DynamoDB executed twice', () => {
  const { qty } = { qty: 3 };
  const fifth = updated(fourth, { qty });
  const last = { id: 1, body: { qty }, answer: fulfilled(200, 1, 6, fifth) };

  it('may not take effect again after it was answered', async () => {
    const more = { more: { ...last, answer: fulfilled(200, 1, 5, fifth), isDeliveredTwice: true } };
    const read = { account, id: 1, at: 1_000, revision: 5, state: fifth };
    expect(await against(more, { item: record(1, 6, fifth) }, [], [read])).toEqual([
      unexplained('nobody can have written revision 6'),
    ]);
  });
});

describe('the checker rejects', () => {
  it.each<[string, Parts<ReportedOperation>, string[]]>([
    [
      'a failure',
      { more: { id: 1, body: { value: 8 }, answer: refused(500, 'INTERNAL_ERROR') } },
      ['an answer is not documented: update 500 INTERNAL_ERROR to {"value":8}'],
    ],
    [
      'a create that does not succeed when nothing goes wrong any more',
      { more: { body: table, answer: busy, isWithoutFaults: true } },
      ['a create was answered 503 although nothing went wrong'],
    ],
    [
      'a failed precondition without If-Match',
      { outdated: { id: 1, body: { value: 8 }, answer: refused(412, 'PRECONDITION_FAILED') } },
      ['an answer is not documented: update 412 PRECONDITION_FAILED to {"value":8}'],
    ],
    [
      'a replay without a key',
      { again: { body: chair, answer: fulfilled(201, 1, 1, first, true) } },
      ['an answer is not documented: create 201 replayed to {"name":"chair","sku":"S"}'],
    ],
    [
      "another item's answer to an update",
      { last: { id: 1, body: { qty: 2 }, answer: fulfilled(200, 2, 4, fourth) } },
      ['an update of item 1 was answered with item 2'],
    ],
    ['a create that left nothing', { table: tableCreate }, ['a created item does not exist: table']],
    [
      "another item's answer to a create",
      { again: { body: chair, key: 'k', answer: fulfilled(201, 2, 1, first, true) } },
      ['a create was answered with another item or state: chair'],
    ],
    [
      'a key of another request that nobody made',
      { reuse: { body: { name: 'other' }, key: 'k2', answer: refused(422, 'IDEMPOTENCY_KEY_REUSED') } },
      ['the key k2 does not explain 422 to {"name":"other"}'],
    ],
    [
      'a revision that never was',
      { more: { id: 1, body: { value: 8 }, answer: fulfilled(200, 1, 5, fourth) } },
      [unexplained('an update was answered revision 5 of 4')],
    ],
    [
      'an update under If-Match at another revision',
      { last: { ...requests.last, ifMatch: 1 } },
      [unexplained('the update answered revision 4 was to be made at revision 1 only')],
    ],
    [
      'an order against real time',
      { update: { ...requests.update, began: 50, ended: 51 } },
      [unexplained('the update answered revision 4 had ended before an earlier one began')],
    ],
    [
      'too many custom fields',
      {
        last: {
          id: 1,
          body: { metadata: manyFields },
          answer: fulfilled(200, 1, 4, updated(third, { metadata: manyFields })),
        },
      },
      [unexplained('the update answered revision 4 left too many custom fields')],
    ],
    [
      'a taken identifier that the item itself had',
      { taken: { id: 1, body: { sku: 'S' }, answer: refused(409, 'ITEM_ALREADY_EXISTS') } },
      ['a 409 had no other holder: {"sku":"S"}'],
    ],
    [
      'a 412 at the revision named in If-Match',
      { outdated: { ...requests.outdated, ifMatch: 4 } },
      ['item 1 was at revision 4 when a 412 said that it was not'],
    ],
    [
      'a failed precondition that showed an older state',
      { outdated: { ...requests.outdated, answer: outdated(1, 3, third) } },
      ['a 412 showed item 1 at revision 3 with wrong values'],
    ],
    [
      'a failed precondition that showed another state',
      { outdated: { ...requests.outdated, answer: outdated(1, 4, third) } },
      ['a 412 showed item 1 at revision 4 with wrong values'],
    ],
    [
      'rejected custom fields that had room',
      { tooMuch: { id: 1, body: { metadata: { b: 1 } }, answer: refused(422, 'VALIDATION_FAILED') } },
      ['item 1 had room when a 422 said that it had not: {"metadata":{"b":1}}'],
    ],
    [
      'an update of an item that does not exist',
      { more: { id: 2, body: { value: 8 }, answer: fulfilled(200, 2, 2, fourth) } },
      ['an answer names item 2, which account acme does not have'],
    ],
  ])('%s', async (_case, operations, violations) => {
    expect(await against(operations)).toEqual(violations);
  });

  it.each<[string, Parts<JsonObject>, string[], Parts<ReportedOperation>?]>([
    [
      'an id above the counter',
      { counter: counter(account, 0) },
      ['id 1 is above the counter', 'the verification finds: id above counter acme'],
    ],
    [
      'a key without an item',
      { more: storedKey('k2', itemOf(9, 1, { name: 'other' })) },
      [expect.stringContaining('idempotency record without item'), 'a stored key created no item: acme other 9'],
    ],
    [
      'two keys for one item',
      { more: storedKey('k2', itemOf(1, 1, first)) },
      ['two keys are stored for one item: acme chair 1'],
    ],
    ['an item that nobody created', { more: tableRecord }, [unexplained('nobody created it', '2 (table)')]],
    [
      'an item in another account',
      { table: record(2, 1, created(table), 'other'), more: counter('other', 10) },
      ['an item crossed accounts: table'],
      { table: tableCreate },
    ],
    [
      'an identifier that two items have',
      { table: record(2, 1, created(tableWithSku)) },
      [
        'an identifier has no guard: acme SKU S 2',
        'an identifier exists twice: acme SKU S',
        'the verification finds: duplicate identifier acme',
      ],
      { table: { body: tableWithSku, answer: fulfilled(201, 2, 1, created(tableWithSku)) } },
    ],
    [
      'a taken identifier that was free again',
      { item: record(1, 5, uncoded), guard: undefined },
      ['a 409 had no other holder: {"name":"table","sku":"S"}'],
      {
        free: { id: 1, body: { sku: null }, answer: fulfilled(200, 1, 5, uncoded) },
        late: { body: tableWithSku, answer: refused(409, 'ITEM_ALREADY_EXISTS') },
      },
    ],
  ])('%s', async (_case, records, violations, operations = {}) => {
    expect(await against(operations, records)).toEqual(violations);
  });
});
