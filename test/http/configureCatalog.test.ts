import { describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../lib/http/operations.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { newCategoryRecord } from '../../lib/store/records/accountRecord.ts';
import { bearer, configure, create, getCatalog } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import {
  categoryNotFound,
  forbidden,
  invalid,
  invalidJson,
  nothingToUpdate,
  type Refusal,
  unauthorized,
  unitAlreadyExists,
} from '../support/api/refusals.ts';
import { responseHeaders } from '../support/api/responseHeaders.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { batch, put } from '../support/table/storedRecords.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const api = await startTestApi();

const request = (name: Operation, body: JsonObject | string, id?: number | string) =>
  configure(name, body, bearer(api.tokens.admin), id);

/** Asserts a whole response, and what it says about the records that were changed. */
async function expectChange(sent: ReturnType<typeof request>, status: number, data: object, ...changed: string[]) {
  const written = await changedRecords(api, async () => {
    const response = await api.send(sent);
    expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({ status, body: { data } });
    expect(response.headers).toEqual({ ...responseHeaders, 'x-request-id': expect.any(String) });
  });
  expect(written).toEqual(changed.map((key) => `ACCOUNT#demo-1 ${key}`));
}

/** What the caller who changes the catalog sees of it. */
async function shown() {
  const { categories, units, defaults } = JSON.parse((await api.send(getCatalog(bearer(api.tokens.admin)))).text).data;
  return { categories, units, defaults: { category: defaults.service.category, tax: defaults.service.tax } };
}

describe('POST …/catalog/categories', () => {
  it('adds a category, which is shown and can be chosen at once', async () => {
    await api.send(getCatalog());
    await api.send(create({ name: 'Chair' }));
    const added = { id: 5, name: 'Outdoor', archived: false };
    await expectChange(request('createCategory', { name: 'Outdoor', id: 7 }), 201, added, 'ACCOUNT', 'CATEGORY#5');
    expect((await shown()).categories).toContainEqual(added);
    const created = await api.send(create({ name: 'Chair', category: 5 }));
    expectItem(created, shownItem({ category: 5, category_name: 'Outdoor' }), 1);
  });

  it('adds another category of the same name if it is repeated, and shows all in the order of their ids', async () => {
    const name = '🪑'.repeat(150);
    for (const id of [6, 7, 8, 9, 10])
      await expectChange(
        request('createCategory', { name }),
        201,
        { id, name, archived: false },
        ...['ACCOUNT', `CATEGORY#${id}`],
      );
    expect((await shown()).categories.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe('PUT …/catalog/categories/{id}', () => {
  it('renames, archives and unarchives a category, of which the rest stays as it is', async () => {
    const steps = [
      [{ name: 'Garden' }, { id: 2, name: 'Garden', archived: false }],
      [{ archived: true }, { id: 2, name: 'Garden', archived: true }],
      [
        { name: 'Furniture', archived: false },
        { id: 2, name: 'Furniture', archived: false },
      ],
    ] as const;
    for (const [place, [body, category]] of steps.entries()) {
      // Whoever may not configure sees it when the container's cache has expired.
      await api.send(getCatalog());
      await expectChange(request('updateCategory', body, 2), 200, category, 'CATEGORY#2');
      expect((await shown()).categories).toContainEqual(category);
      setAhead(60_000 * (place + 1));
      expect(JSON.parse((await api.send(getCatalog())).text).data.categories).toContainEqual(category);
      if (category.archived) await expectRefused(api, create({ name: 'Chair', category: 2 }), invalid('category'));
    }
    // That of new items, too.
    const general = { id: 1, name: 'General', archived: false };
    await expectChange(request('updateCategory', { name: 'General', archived: false }, 1), 200, general);
  });
});

describe('POST …/catalog/units', () => {
  it('registers a unit, which is shown and can be chosen at once', async () => {
    await api.send(create({ name: 'Chair' }));
    const unit = { unit: 'pair', decimals: 1 };
    await expectChange(request('createUnit', unit), 201, unit, 'UNIT#pair');
    expect((await shown()).units).toContainEqual(unit);
    const [composed, sent] = [
      { unit: '\u00f6l', decimals: 1 },
      { unit: 'o\u0308l', decimals: 1 },
    ];
    await expectChange(request('createUnit', sent), 201, composed, `UNIT#${composed.unit}`);
    await expectRefused(api, [request('createUnit', sent), request('createUnit', composed)], unitAlreadyExists);
    const created = await api.send(create({ name: 'Chair', unit: 'pair', qty: 1.25 }));
    expectItem(created, shownItem({ unit: 'pair', qty: 1.3 }), 1);
  });
});

describe('PUT …/catalog/defaults', () => {
  it('sets one default and keeps the other, and null removes the category', async () => {
    const steps: [JsonObject, JsonObject][] = [
      [{ tax: 0.0000005 }, { category: 1, tax: 0.000001 }],
      [{ category: 3 }, { category: 3, tax: 0.000001 }],
      [{ category: null }, { category: null, tax: 0.000001 }],
      [
        { category: 1, tax: 0 },
        { category: 1, tax: 0 },
      ],
    ];
    for (const [body, defaults] of steps) {
      await expectChange(request('updateDefaults', body), 200, defaults, 'ACCOUNT');
      expect((await shown()).defaults).toEqual(defaults);
    }
  });
});

describe('an invalid request changes nothing:', () => {
  const names = [
    {},
    ...[null, '', ' ', ' x', 'x ', 'x'.repeat(151), 1, ['x'], 'a\nb', '\0', '\ud800', '\u3164'].map(named),
  ];
  const decimals = [{}, ...[null, -1, 5, 1.5, '1', true].map((each) => ({ decimals: each }))];

  it.each<[Operation, Refusal, readonly (JsonObject | string)[], (readonly (number | string)[])?]>([
    ['createCategory', invalid('name'), names],
    ['createCategory', invalidJson, ['[]', 'null', '{"name":']],
    ['updateCategory', categoryNotFound, [named('x')], ['abc', 0, '01', '1.5', '9007199254740993', 99]],
    ['updateCategory', categoryNotFound, ['{"name":', {}, named('')], ['abc']],
    ['updateCategory', invalid('name'), [named('')], [99]],
    ['updateCategory', nothingToUpdate, [{}, { id: 3, colour: 'red' }]],
    ['updateCategory', invalid('archived'), [null, 'true', 1, []].map((archived) => ({ archived }))],
    ['updateCategory', invalid('name', 'archived'), [{ archived: 0, name: '' }]],
    ['updateCategory', invalid('archived'), [{ name: 'x', archived: true }]],
    ['createUnit', invalid('unit', 'decimals'), [{}, { unit: '123456789', decimals: 5 }, { unit: ' t', decimals: '' }]],
    ['createUnit', invalid('decimals'), [...decimals, '{"decimals":1e400}'].map(withUnit)],
    [
      'createUnit',
      invalid('unit'),
      ['', '\u200b', 'kg\u200b', '\u202ekg', '\ud800'].map((unit) => ({ unit, decimals: 1 })),
    ],
    ['createUnit', unitAlreadyExists, [{ unit: 'kg', decimals: 3 }]],
    ['updateDefaults', nothingToUpdate, [{}, { defaultTax: 1 }]],
    ['updateDefaults', invalid('category'), [4, 99, 0, '1', 2 ** 53].map((category) => ({ category, tax: 1 }))],
    ['updateDefaults', invalid('tax'), [null, -1, 1_000_000, '1'].map((tax) => ({ category: 3, tax }))],
    ['updateDefaults', invalid('category', 'tax'), [{ tax: 'x', category: 0 }]],
  ])('%s is refused with %o for %j', async (name, refusal, bodies, ids = [1]) => {
    const requests = bodies.flatMap((body) => ids.map((id) => request(name, body, id)));
    await expectRefused(api, requests, refusal);
  });

  it('only the permission catalog:admin allows it', async () => {
    const all = ['createCategory', 'updateCategory', 'createUnit', 'updateDefaults'] as const;
    const editor = bearer(api.tokens.editor);
    for (const name of all) {
      await expectRefused(api, configure(name, {}, editor), forbidden);
      await expectRefused(api, configure(name, {}, { authorization: undefined }), unauthorized);
    }
  });
});

function named(name: Json): JsonObject {
  return { name };
}

/** As text, because JSON has numbers that JavaScript has not. */
function withUnit(body: JsonObject | string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.replace(/^\{/, '{"unit":"ton",').replace(',}', '}');
}

it('an account whose categories have 2 MB gets no other one, and keeps working', async () => {
  // Longer than requests can make names, so that few records take several pages of a query.
  const name = 'x'.repeat(100_000);
  const ids = Array.from({ length: 21 }, (_, index) => 100 + index);
  const categories = ids.map((id) => put(newCategoryRecord('demo-1', id, name)));
  await batch(api, categories);
  await expectRefused(api, request('createCategory', { name: 'One more' }), invalid('name'));
  const created = await api.send(create({ name: 'Chair', category: 119 }));
  expectItem(created, shownItem({ category: 119, category_name: name }), 1);
  expect((await api.send(request('updateCategory', { archived: true }, 120))).status).toBe(200);
});
