import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { type FieldName, fieldNames } from '../../lib/item/limits.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from './requests.ts';
import { conflict, expectItem, expectRefusal, invalid, shownItem } from './responses.ts';
import { startTestCatalog, type TestCatalog } from './testCatalog.ts';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await startTestCatalog();
});
afterAll(() => catalog.close());

const chair = { name: 'Chair' };
const asOther = () => bearer(catalog.tokens.otherAccount);
const asEditorWithoutCost = () => bearer(catalog.tokens.editorWithoutCost);

/** Every request field, with a value that is no default. */
const everyField = {
  name: 'Assembly',
  type: 'service',
  category: 3,
  value: 120.5,
  qty: 1.25,
  unit: 'day',
  description: 'On site',
  active: false,
  cost: 80.1234,
  tax: 7.654321,
  sku: 'AS-1',
  pn: 'PN-1',
  tag: 'work;site',
  metadata: { team: 'north', size: { people: [2, 3], note: null } },
} as const;

const record = async (account: string, id: number) => {
  const { pk, sk } = keys.item(account, id);
  return (await catalog.stored())[`${pk} ${sk}`];
};

describe('a created item', () => {
  it('has its address in spec 4 and the fields of spec table 2.1, in that order', async () => {
    const request = { ...create(everyField), method: 'POST', path: '/api/v1/api/v1/items' };
    const answer = await catalog.send(request);
    const shown = shownItem({ ...everyField, category_name: 'Services' });
    const id = expectItem(answer, shown, 1);
    expect(answer.headers['location']).toBe(`/api/v1/api/v1/items/${id}`);
    expect(answer.text).toMatch(
      /^\{"data":\{"id":\d+,"name":"Assembly","type":"service","category":3,"category_name":/,
    );
  });

  it('has the defaults of spec table 2.1 where it names nothing', async () => {
    expectItem(await catalog.send(create({ name: 'Chair' })), shownItem(), 1);
  });

  it('is kept as it is answered', async () => {
    const [before, body] = [await catalog.stored(), { ...everyField, sku: 'AS-2', pn: 'PN-2' }];
    const id = expectItem(await catalog.send(create(body)), shownItem({ ...body, category_name: 'Services' }), 1);
    const added = Object.entries(await catalog.stored()).filter(([key]) => !Object.hasOwn(before, key));
    expect(added.map(([key]) => key).sort()).toEqual([
      expect.stringMatching(/^ACCOUNT#demo-1#ITEMS ITEM#\d{16}$/),
      'ACCOUNT#demo-1#PN#PN-2 GUARD',
      'ACCOUNT#demo-1#SKU#AS-2 GUARD',
    ]);
    expect(await record('demo-1', id)).toMatchObject({ ...body, id, revision: 1, written_by: 'editor' });
  });

  it('has the address by which it is updated in Location, and its revision in ETag', async () => {
    const { headers } = await catalog.send(create(chair));
    const { method } = update(0, {});
    const condition = { 'if-match': headers['etag'] };
    const again = await catalog.send({
      method,
      path: headers['location'] ?? '',
      headers: condition,
      body: '{"value":1}',
    });
    expectItem(again, shownItem({ value: 1 }), 2);
  });

  it('has a create_date that is the second of its creation, in UTC', async () => {
    const earliest = Math.floor(Date.now() / 1000) * 1000;
    const answer = await catalog.send(create(chair));
    const { create_date } = JSON.parse(answer.text).data;
    expect(create_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(Date.parse(create_date)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(create_date)).toBeLessThanOrEqual(Date.now());
  });

  it('has an id of its own in its account, a positive safe integer', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => catalog.send(create(chair))));
    const ids = answers.map((answer) => expectItem(answer, shownItem(), 1));
    expect(new Set(ids).size).toBe(25);
    for (const id of ids) expect(Number.isSafeInteger(id) && id > 0).toBe(true);
  });

  it("is its account's alone: ids of two accounts are the same and mean different items", async () => {
    const id = expectItem(
      await catalog.send(create({ name: 'Theirs' }, asOther())),
      shownItem({ name: 'Theirs', tax: 2.5 }),
      1,
    );
    expect([await record('demo-1', id), await record('demo-2', id)]).toMatchObject([
      { id, written_by: 'editor', tax: expect.any(Number) },
      { id, name: 'Theirs', tax: 2.5 },
    ]);
    const shown = shownItem({ name: 'Theirs', tax: 2.5, value: 9 });
    const ours = await record('demo-1', id);
    expectItem(await catalog.send(update(id, { value: 9 }, asOther())), shown, 2);
    expect(await record('demo-1', id)).toEqual(ours);
  });
});

describe('defaults', () => {
  it("an omitted category is the account's default category, null is none (spec 4.1 rule 2)", async () => {
    expectItem(await catalog.send(create(chair)), shownItem({ category: 1, category_name: 'General' }), 1);
    const none = shownItem({ category: null, category_name: null });
    expectItem(await catalog.send(create({ ...chair, category: null })), none, 1);
  });

  it.each([
    [{ type: 'product' }, 'un'],
    [{ type: 'service' }, 'hour'],
    [{}, 'un'],
    [{ type: 'service', unit: 'un' }, 'un'],
    [{ type: 'product', unit: 'hour' }, 'hour'],
  ] as const)('%j has the unit %s (spec 4.1 rule 3)', async (sent, unit) => {
    expectItem(await catalog.send(create({ ...chair, ...sent })), shownItem({ ...sent, unit }), 1);
  });

  it("an omitted tax is the account's default, a tax of 0 is 0", async () => {
    expectItem(await catalog.send(create(chair, asOther())), shownItem({ tax: 2.5 }), 1);
    expectItem(await catalog.send(create({ ...chair, tax: 0 }, asOther())), shownItem({ tax: 0 }), 1);
  });

  it.each([
    ['un', 1.5, 2],
    ['un', 0.4, 0],
    ['hour', 1.005, 1.01],
    ['kg', 0.0005, 0.001],
    ['box', 2.4999, 2],
  ])('in %s a qty of %d is %d (spec 2.1: rounded according to the unit)', async (unit, qty, rounded) => {
    expectItem(await catalog.send(create({ ...chair, unit, qty })), shownItem({ unit, qty: rounded }), 1);
  });

  it('metadata has the keys that have a value (spec 2.2)', async () => {
    const metadata = { a: 1, b: null, c: { d: null } };
    expectItem(
      await catalog.send(create({ ...chair, metadata })),
      shownItem({ metadata: { a: 1, c: { d: null } } }),
      1,
    );
    expectItem(await catalog.send(create({ ...chair, metadata: null })), shownItem(), 1);
  });

  it('response-only fields are ignored', async () => {
    const ignored = { id: 4711, category_name: 'Mine', create_date: '2000-01-01T00:00:00+00:00' };
    const answer = await catalog.send(create({ ...chair, ...ignored }));
    expect(expectItem(answer, shownItem(), 1)).not.toBe(4711);
    expect(JSON.parse(answer.text).data.create_date).not.toBe(ignored.create_date);
  });
});

describe('cost', () => {
  it('is left out for a caller who may not see it, and kept all the same', async () => {
    const { cost: _, ...withoutCost } = shownItem();
    const id = expectItem(await catalog.send(create({ ...chair, cost: 5.5 }, asEditorWithoutCost())), withoutCost, 1);
    expectItem(await catalog.send(update(id, { metadata: null })), shownItem({ cost: 5.5 }), 2);
  });
});

describe('a refused create', () => {
  const invalidBodies: readonly [string, JsonObject, readonly [FieldName, ...FieldName[]]][] = [
    ['its name is missing', { value: 1 }, ['name']],
    ['several fields are invalid', { pn: 5, value: -1, type: 'x' }, ['name', 'type', 'value', 'pn']],
    ['all fields are invalid', Object.fromEntries(fieldNames.toReversed().map((field) => [field, [0]])), fieldNames],
    ['its category is archived', { ...chair, category: 4 }, ['category']],
    ['its category and unit are unknown', { ...chair, unit: 'parsec', category: 9 }, ['category', 'unit']],
  ];

  it.each(invalidBodies)('creates nothing when %s (spec 4.1 rule 1)', async (_, body, fields) => {
    const before = await catalog.stored();
    expectRefusal(await catalog.send(create(body)), invalid(...fields));
    expect(await catalog.stored()).toEqual(before);
  });

  it('creates nothing when a code is taken (spec 4.1 rule 1)', async () => {
    const taken = { sku: 'TAKEN', pn: 'TAKEN' };
    expectItem(await catalog.send(create({ ...chair, ...taken })), shownItem(taken), 1);
    const before = await catalog.stored();
    for (const codes of [taken, { sku: 'TAKEN' }, { pn: 'TAKEN' }, { sku: 'FREE', pn: 'TAKEN' }])
      expectRefusal(await catalog.send(create({ ...chair, ...codes })), conflict);
    expect(await catalog.stored()).toEqual(before);
  });

  it('needs a token and the permission to edit the catalog (spec 5)', async () => {
    const before = await catalog.stored();
    const anonymous = await catalog.send(create(chair, { authorization: undefined }));
    expectRefusal(anonymous, { status: 401, code: 'UNAUTHORIZED' });
    expectRefusal(await catalog.send(create(chair, bearer(catalog.tokens.reader))), { status: 403, code: 'FORBIDDEN' });
    expect(await catalog.stored()).toEqual(before);
  });
});
