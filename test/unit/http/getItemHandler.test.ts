import { describe, expect, it } from 'vitest';
import { presentItem } from '../../../lib/http/presenter.ts';
import { CatalogError, errors } from '../../../lib/item/errors.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { readersOf } from '../../support/handlers.ts';
import { memoryReader } from '../../support/memoryReader.ts';
import { testCaller } from '../../support/proxyEvent.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { sampleItem } from '../../support/sampleItem.ts';

const open = (current = sampleAccount, item = sampleItem) => {
  const memory = memoryReader([item], sampleAccount, current);
  return { ...memory, ...readersOf(memory.reader) };
};
const shown = presentItem(sampleItem, 'Furniture', testCaller('acme'));

describe('getting an item', () => {
  it('returns it with its ETag', async () => {
    const { get, asked, observed } = open();
    expect(await get(gatewayEvent({ id: '7' }))).toEqual({
      status: 200,
      headers: { ...headers, etag: '"3"' },
      body: { data: shown },
    });
    expect(asked).toEqual(['account', 'findItem']);
    expect(observed).toMatchObject([{ operation: 'getItem', account: 'acme', status: 200 }]);
  });

  it('needs no permission, but omits cost without catalog:cost:read', async () => {
    const { cost: _, ...others } = shown;
    expect((await open().get(gatewayEvent({ id: '7', permissions: [] }))).body).toEqual({ data: others });
  });

  it('reads the account again only to name a category that is newer than the cached one', async () => {
    const categories = new Map([...sampleAccount.categories, [9, { name: 'New', archived: false }]]);
    const { get, asked } = open({ ...sampleAccount, categories }, { ...sampleItem, category: 9 });
    expect((await get(gatewayEvent({ id: '7' }))).body).toMatchObject({ data: { category: 9, category_name: 'New' } });
    expect(asked).toEqual(['account', 'findItem', 'currentAccount']);
  });

  it.each(['8', '0', '-1', '1.5', '1e0', '07', '9007199254740993', 'abc', '%00', '7%20', '__proto__', ''])(
    'returns 404 for the id %j',
    async (id) => {
      const error = { code: 'ITEM_NOT_FOUND', message: errors.ITEM_NOT_FOUND.message };
      expect(await open().get(gatewayEvent({ id }))).toEqual({ status: 404, headers, body: { error } });
    },
  );

  it('returns 403 for an account that is not open, whether or not the item exists', async () => {
    const { reader } = open();
    const refused = { ...reader, account: () => Promise.reject(new CatalogError('FORBIDDEN')) };
    for (const id of ['7', '8'])
      expect(await readersOf(refused).get(gatewayEvent({ id }))).toMatchObject({ status: 403 });
  });

  it('has no parameters', async () => {
    const response = await open().get(gatewayEvent({ id: '7', query: { fields: 'name' } }));
    expect(response).toMatchObject({ status: 422, body: { error: { message: 'Invalid field: fields.' } } });
  });
});
