import { describe, expect, it } from 'vitest';
import { presentItem } from '../../../lib/http/presenter.ts';
import { errors } from '../../../lib/item/errors.ts';
import { fakeStore } from '../../support/fakeStore.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { readersOf } from '../../support/handlers.ts';
import { testCaller } from '../../support/proxyEvent.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem } from '../../support/sampleItem.ts';

const open = (current = sampleAccount, item = sampleItem) => {
  const fake = fakeStore([item], sampleAccount, current);
  return { ...fake, ...readersOf(fake.openStore) };
};
const shown = presentItem(sampleItem, 'Furniture', testCaller('acme'));

describe('getting an item', () => {
  it('returns it with its ETag', async () => {
    const { get, called, observed } = open();
    expect(await get(gatewayEvent({ id: '7' }))).toEqual({
      status: 200,
      headers: { ...headers, etag: '"3"' },
      body: { data: shown },
    });
    expect(called).toEqual(['account', 'findItem']);
    expect(observed).toMatchObject([{ operation: 'getItem', account: 'acme', status: 200 }]);
  });

  it('reads the account again only to name a category that is newer than the cached one', async () => {
    const categories = new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]);
    const { get, called } = open({ ...sampleAccount, categories }, { ...sampleItem, category: 9 });
    expect((await get(gatewayEvent({ id: '7' }))).body).toMatchObject({ data: { category: 9, category_name: 'New' } });
    expect(called).toEqual(['account', 'findItem', 'currentAccount']);
  });

  it('returns 404 for a missing item', async () => {
    const error = { code: 'ITEM_NOT_FOUND', message: errors.ITEM_NOT_FOUND.message };
    expect(await open().get(gatewayEvent({ id: '8' }))).toEqual({ status: 404, headers, body: { error } });
  });
});
