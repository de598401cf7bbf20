import { describe, expect, it } from 'vitest';
import { issueToken, openAccount } from '../../admin/accounts/accounts.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { encodeCursor } from '../../lib/http/cursor.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { transact } from '../../lib/store/database/writes.ts';
import { keys } from '../../lib/store/records/keys.ts';
import {
  type ApiRequest,
  bearer,
  configure,
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
import { accountNotOpen, invalid, itemNotFound, unauthorized } from '../support/api/refusals.ts';
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
  ] as const)('of %s is %i with the headers of GET, also the length, but no body', async (what, status, request) => {
    const { path } = request(await createItem({ name: 'Chair' }));
    const { authorization } = bearer(what === 'no token' ? '' : api.tokens.reader);
    const whole = await ask('GET', path, authorization);
    expect(whole).toMatchObject({ status, headers: { 'content-length': String(Buffer.byteLength(whole.text)) } });
    expect(await ask('HEAD', path, authorization)).toEqual({ ...whole, text: '' });
  });
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

describe('a cursor', async () => {
  const { otherAccount } = api.tokens;
  const search = 'cursor';
  for (const name of ['Cursor a', 'Cursor b']) await createItem({ name });
  for (const name of ['Cursor a', 'Cursor b', 'Cursor c']) await api.send(create({ name }, bearer(otherAccount)));
  const cursorIn = async (request: ApiRequest) => JSON.parse((await api.send(request)).text).next_cursor;
  const cursor = await cursorIn(list({ search, limit: '1' }));
  const foreignCursor = await cursorIn(list({ search, limit: '2' }, bearer(otherAccount)));
  const namesAfter = async (parameters: Record<string, string>, headers = {}): Promise<string[]> =>
    JSON.parse((await api.send(list({ search, ...parameters }, headers))).text).data.map(
      ({ name }: { name: string }) => name,
    );

  it('continues after its page, even with another limit or filter', async () => {
    expect(await namesAfter({ cursor })).toEqual(['Cursor b']);
    const other = { limit: '1', category: '1', include_inactive: 'true' };
    expect(await namesAfter({ cursor, ...other })).toEqual(['Cursor b']);
    expect(await namesAfter({ cursor, type: 'service' })).toEqual([]);
  });

  it("of another account is a place in the caller's own list, and reveals nothing about the other account", async () => {
    expect(await namesAfter({ cursor: foreignCursor })).toEqual([]);
    expect(await namesAfter({ cursor }, bearer(otherAccount))).toEqual(['Cursor b', 'Cursor c']);
  });
});

describe('reading is refused', () => {
  const reads = (headers = {}): ApiRequest[] => [get(1, headers), list({}, headers), getCatalog(headers)];

  it('with unknown or malformed parameters of a list, each of which is named', async () => {
    await expectRefused(api, list('limit=0&colour=red&category=x'), invalid('category', 'limit', 'colour'));
    await expectRefused(api, list('search=%ED%A0%80&__proto__=1'), invalid('search', '__proto__'));
  });

  it('with any parameter of an item or the reference data', async () => {
    const requests = [get('1?colour=red'), { ...getCatalog(), path: `${getCatalog().path}?colour=red` }];
    await expectRefused(api, requests, invalid('colour'));
    await expectRefused(api, [get('abc?colour=red'), listItemChanges('abc', '?colour=red')], itemNotFound);
  });

  it('with 401 without a token', async () => {
    await expectRefused(api, reads({ authorization: undefined }), unauthorized);
  });

  it('with 403 for an account that is not open, which cannot be configured either', async () => {
    const context = timedContext(Date.now() + 60_000);
    await openAccount(api.database.for(context), 'closed');
    const permissions = ['catalog:admin'] as const;
    const caller = { account: 'closed', user: 'ann', permissions, expiresAt: Math.floor(Date.now() / 1000) + 60 };
    const headers = bearer((await issueToken(api.database.for(context), caller, Date.now())).token);
    const removal = { Delete: { TableName: api.database.table, Key: keys.account('closed') } };
    await transact(api.database.for(context), { removal });
    const changes = [
      configure('createCategory', { name: 'Outdoor' }, headers),
      configure('updateCategory', { archived: true }, headers),
      configure('createUnit', { unit: 'pair', decimals: 0 }, headers),
      configure('updateDefaults', { category: 1, tax: 1 }, headers),
    ];
    const lists = [listChanges('', headers), listItemChanges(1, '', headers)];
    await expectRefused(api, [...reads(headers), ...lists, ...changes], accountNotOpen);
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
