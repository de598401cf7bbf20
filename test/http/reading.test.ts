import { describe, expect, it } from 'vitest';
import { encodeCursor } from '../../lib/http/cursor.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import {
  bearer,
  create,
  get,
  getCatalog,
  list,
  listChanges,
  listItemChanges,
  update,
} from '../support/api/apiRequests.ts';
import {
  changedRecords,
  expectItem,
  expectList,
  expectRefusal,
  expectRefused,
  shownItem,
} from '../support/api/apiResponses.ts';
import { invalid, itemNotFound } from '../support/api/refusals.ts';
import { responseHeaders } from '../support/api/responseHeaders.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();

const shown = (body: JsonObject, id: number) => ({ ...shownItem(body), id });
const createItem = async (body: JsonObject & { name: string }): Promise<number> =>
  expectItem(await api.send(create(body)), shownItem(body), 1);

describe('GET …/items/{id}', () => {
  it('returns the item as of the last write, at the address in Location', async () => {
    const created = await api.send(create({ name: 'Chair', cost: 2 }));
    const read = await api.send({ ...get(0), path: created.headers['location'] ?? '' });
    expectItem(read, shownItem({ cost: 2 }), 1, false);
    expect(read.text).toBe(created.text);
    const id = JSON.parse(read.text).data.id;
    const updated = await api.send(update(id, { name: 'Table', active: 0 }));
    expect(await api.send(get(id))).toMatchObject({ status: 200, text: updated.text });
  });

  it('accepts any token of the account, and omits cost without the permission', async () => {
    const id = await createItem({ name: 'Chair', cost: 2 });
    const { cost, ...others } = shownItem({ cost: 2 });
    const { editorWithoutCost, reader, readerWithoutCost, otherAccount } = api.tokens;
    expectItem(await api.send(get(id, bearer(editorWithoutCost))), others, 1, false);
    expectItem(await api.send(get(id, bearer(reader))), shownItem({ cost: 2 }), 1, false);
    expectItem(await api.send(get(id, bearer(readerWithoutCost))), others, 1, false);
    expectList(await api.send(list({ ids: String(id) }, bearer(readerWithoutCost))), [{ ...others, id }]);
    expectRefusal(await api.send(get(id, bearer(otherAccount))), itemNotFound);
  });
});

describe('HEAD', () => {
  /** Headers that differ between two responses, or belong to the connection. */
  const changing = new Set(['connection', 'date', 'keep-alive', 'x-amzn-requestid', 'x-request-id']);
  const ask = async (method: string, path: string, authorization: string) => {
    const headers = { authorization, 'accept-encoding': 'identity' };
    const response = await fetch(api.url + path, { method, headers });
    const lasting = [...response.headers].filter(([name]) => !changing.has(name));
    return { status: response.status, headers: Object.fromEntries(lasting), text: await response.text() };
  };

  it.each([
    ['an item', 200, (id: number) => get(id)],
    ['a list', 200, () => list()],
    ['reference data', 200, () => getCatalog()],
    ['the changes of an item that never existed', 200, () => listItemChanges(999_999)],
    ['changes with an invalid parameter', 422, () => listChanges('?limit=0')],
    ['a missing item', 404, () => get(0)],
    ['an invalid parameter', 422, () => list({ limit: '0' })],
    ['no token', 401, () => list()],
  ] as const)(
    'of %s returns %i with the headers of GET, the length of its body among them, and no body',
    async (what, status, request) => {
      const { path } = request(await createItem({ name: 'Chair' }));
      const { authorization } = bearer(what === 'no token' ? '' : api.tokens.reader);
      const whole = await ask('GET', path, authorization);
      expect(whole).toMatchObject({ status, headers: { 'content-length': String(Buffer.byteLength(whole.text)) } });
      expect(await ask('HEAD', path, authorization)).toEqual({ ...whole, text: '' });
    },
  );
});

describe('GET …/items', () => {
  it('lists active items by name, and filters by fields and identifiers', async () => {
    const [table, chair, lamp] = [
      { name: 'List table', category: 2, category_name: 'Furniture' },
      { name: 'list Chair', sku: 'L-1', pn: 'L-2' },
      { name: ' LIST  Straßenlampe', type: 'service', unit: 'hour' },
    ] as const;
    const body = ({ category_name: _, ...sent }: typeof table) => sent;
    const ids = [
      expectItem(await api.send(create(body(table))), shownItem(table), 1),
      await createItem(chair),
      await createItem({ ...lamp, active: false, sku: 'L-3' }),
    ] as const;
    const [t, c, l] = [
      shown(table, ids[0]),
      shown(chair, ids[1]),
      shown({ ...lamp, active: false, sku: 'L-3' }, ids[2]),
    ];
    const rows: [Record<string, string> | string, (typeof t)[]][] = [
      [{ search: 'list' }, [c, t]],
      [{ search: 'LÍST', include_inactive: 'true' }, [c, l, t]],
      [{ search: 'list', active: 'false' }, [l]],
      [{ search: 'list', include_inactive: 'true', order: 'desc' }, [t, l, c]],
      [{ search: 'list', category: '2' }, [t]],
      [{ search: 'list', type: 'service' }, []],
      [{ search: 'list STRASSEN', include_inactive: 'true', type: 'service' }, [l]],
      [{ sku: 'L-1' }, [c]],
      [{ pn: ' L-2 ' }, [c]],
      [{ sku: 'L-1', type: 'service' }, []],
      [{ pn: 'L-1' }, []],
      [{ sku: 'L-3' }, []],
      [{ sku: 'L-3', include_inactive: 'true' }, [l]],
      [{ search: 'list', category: '99' }, []],
      [{ search: 'li\u00adst ta' }, [t]],
      [{ ids: `${ids[0]},${ids[0]}` }, [t]],
      [{ ids: `${ids[2]},${ids[0]},999999`, limit: '1' }, [l, t]],
      [`ids=${ids[2]}&ids=${ids[0]}`, [l, t]],
    ];
    const changed = await changedRecords(api, async () => {
      for (const [parameters, items] of rows) expectList(await api.send(list(parameters)), items);
    });
    expect(changed).toEqual([]);
  });

  it('continues at next_cursor', async () => {
    const ids = [];
    for (const name of ['Page a', 'Page b', 'Page c']) ids.push(await createItem({ name }));
    const first = JSON.parse((await api.send(list({ search: 'page', limit: '2' }))).text);
    expect(first).toEqual({
      data: [expect.objectContaining({ id: ids[0] }), expect.objectContaining({ id: ids[1] })],
      next_cursor: expect.stringMatching(/^[\w-]+$/),
    });
    const rest = await api.send(list({ search: 'page', cursor: first.next_cursor }));
    expectList(rest, [shown({ name: 'Page c' }, ids[2] ?? 0)]);
  });

  it('refuses the cursor of another list, but none of an earlier version for an item without a listed name', async () => {
    const { next_cursor: ofChanges } = JSON.parse((await api.send(listChanges())).text);
    const { next_cursor: ofNames } = JSON.parse((await api.send(list({ search: 'page', limit: '2' }))).text);
    for (const parameters of [{ cursor: ofChanges }, { cursor: ofNames, order: 'desc' }])
      await expectRefused(api, list(parameters), invalid('cursor'));
    const ids = [await createItem({ name: '´' }), await createItem({ name: '´' })];
    const former = await api.send(list({ cursor: encodeCursor({ name: '', id: ids[0] ?? 0 }), limit: '1' }));
    expect(JSON.parse(former.text).data).toMatchObject([{ id: ids[1], name: '´' }]);
  });
});

describe('GET …/catalog', () => {
  it('returns the data for a form, and who the caller is and may do', async () => {
    const response = await api.send(getCatalog(bearer(api.tokens.editorWithoutCost)));
    expect(response.headers).toEqual({ ...responseHeaders, 'x-request-id': expect.any(String) });
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text).data).toMatchObject({
      categories: ['General', 'Furniture', 'Services', 'Old'].map((name) => ({ name, archived: name === 'Old' })),
      defaults: { product: { category: 1, unit: 'un', tax: 0 }, service: { unit: 'hour' } },
      limits: { name: limits.name },
      permissions: ['catalog:edit'],
      account: 'demo-1',
      user: 'editor-without-cost',
    });
  });
});
