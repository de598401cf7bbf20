import { describe, expect, it } from 'vitest';
import { openAccount } from '../../admin/accounts/openAccount.ts';
import { issueToken } from '../../admin/accounts/tokens.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
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
} from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { accountNotOpen, invalid, itemNotFound, unauthorized } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();
const { otherAccount } = api.tokens;
for (const name of ['Chair', 'Desk'])
  expectItem(await api.send(create({ name, sku: `MINE-${name}` })), shownItem({ name, sku: `MINE-${name}` }), 1);
for (const name of ['Chair', 'Desk', 'Zebra']) await api.send(create({ name, sku: name }, bearer(otherAccount)));
const cursorIn = async (request: ApiRequest) => JSON.parse((await api.send(request)).text).next_cursor;
/** Cursors of a list of two items, and of another account's. */
const cursor = await cursorIn(list({ limit: '1' }));
const foreignCursor = await cursorIn(list({ limit: '2' }, bearer(otherAccount)));

const reads = (headers = {}): ApiRequest[] => [get(1, headers), list({}, headers), getCatalog(headers)];
const names = async (request: ApiRequest): Promise<string[]> =>
  JSON.parse((await api.send(request)).text).data.map(({ name }: { name: string }) => name);

it('a list rejects parameters that are unknown or malformed, and names each', async () => {
  await expectRefused(api, list('limit=0&colour=red&category=x'), invalid('category', 'limit', 'colour'));
  await expectRefused(api, list('search=%ED%A0%80&__proto__=1'), invalid('search', '__proto__'));
});

it('reading an item or the reference data rejects every parameter', async () => {
  const requests = [get('1?colour=red'), { ...getCatalog(), path: `${getCatalog().path}?colour=red` }];
  await expectRefused(api, requests, invalid('colour'));
  await expectRefused(api, [get('abc?colour=red'), listItemChanges('abc', '?colour=red')], itemNotFound);
});

describe('a cursor', () => {
  it('continues after its page, even with another limit or filter', async () => {
    expect(await names(list({ cursor }))).toEqual(['Desk']);
    expect(await names(list({ cursor, limit: '1', category: '1', include_inactive: 'true' }))).toEqual(['Desk']);
    expect(await names(list({ cursor, type: 'service' }))).toEqual([]);
  });

  it("of another account is a place in the caller's own list, and reveals nothing about the other account", async () => {
    expect(await names(list({ cursor: foreignCursor }))).toEqual([]);
    expect(await names(list({ cursor }, bearer(api.tokens.otherAccount)))).toEqual(['Desk', 'Zebra']);
  });
});

describe('reading needs only a valid token of an open account', () => {
  it('returns 401 without a token', async () => {
    await expectRefused(api, reads({ authorization: undefined }), unauthorized);
  });

  it('returns 403 for an account that is not open, which cannot be configured either', async () => {
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
