import { describe, expect, it } from 'vitest';
import { presentItem } from '../../../lib/http/presenter.ts';
import { CatalogError } from '../../../lib/item/errors.ts';
import type { Item } from '../../../lib/item/item.ts';
import { fakeStore } from '../../support/fakeStore.ts';
import { gatewayEvent } from '../../support/gatewayEvent.ts';
import { readersOf } from '../../support/handlers.ts';
import { testCaller } from '../../support/proxyEvent.ts';
import { responseHeaders as headers } from '../../support/responseHeaders.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { defaultFields, sampleItem } from '../../support/sampleItem.ts';

const item = (id: number, name: string, fields: Partial<Item> = {}): Item => ({
  ...defaultFields,
  id,
  name,
  revision: 1,
  createdAt: sampleItem.createdAt,
  updatedAt: sampleItem.updatedAt,
  updatedBy: sampleItem.updatedBy,
  ...fields,
});
const items = [
  item(1, 'Table'),
  item(2, 'chair', { category: 2, sku: 'C-1' }),
  item(3, 'Écran', { type: 'service', category: null, sku: 'E-1' }),
  item(4, 'Chair', { active: false, pn: 'C-1' }),
  item(5, 'Chaise', { category: 4 }),
];
const open = (all = items) => {
  const fake = fakeStore(all, sampleAccount);
  return { ...fake, ...readersOf(fake.openStore) };
};

interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly next_cursor: string | null;
}
const pageOf = async (query: Record<string, string>, all = items): Promise<Page> => {
  const { status, body } = await open(all).list(gatewayEvent({ query }));
  expect(status).toBe(200);
  return body as Page;
};
const idsOf = ({ data }: Page) => data.map(({ id }) => id);

describe('listing items', () => {
  it('returns the active ones by name, in the same format as reading one, and the end of the list', async () => {
    const { list, called, observed } = open();
    const caller = testCaller('acme');
    const shown = [
      presentItem(items[1] as Item, 'Furniture', caller),
      presentItem(items[4] as Item, 'Old', caller),
      presentItem(items[2] as Item, null, caller),
      presentItem(items[0] as Item, 'General', caller),
    ];
    expect(await list(gatewayEvent())).toEqual({ status: 200, headers, body: { data: shown, next_cursor: null } });
    expect(called).toEqual(['account', 'listItems']);
    expect(observed).toMatchObject([{ operation: 'listItems', account: 'acme', status: 200 }]);
  });

  it.each<[Record<string, string>, number[]]>([
    [{ include_inactive: 'true' }, [2, 4, 5, 3, 1]],
    [{ include_inactive: 'false' }, [2, 5, 3, 1]],
    [{ active: 'false' }, [4]],
    [{ category: '2' }, [2]],
    [{ category: '4' }, [5]],
    [{ category: '9' }, []],
    [{ type: 'service' }, [3]],
    [{ search: 'CHÁI' }, [2, 5]],
    [{ search: 'ecr' }, [3]],
    [{ search: 'hair' }, []],
    [{ search: 'cha', include_inactive: 'true', category: '1' }, [4]],
    [{ sku: 'E-1' }, [3]],
    [{ sku: ' E-1 ' }, [3]],
    [{ sku: 'e-1' }, []],
    [{ sku: 'E-1', type: 'product' }, []],
    [{ pn: 'C-1' }, []],
    [{ pn: 'C-1', include_inactive: 'true' }, [4]],
    [{ sku: 'C-1' }, [2]],
  ])('with %j returns the current items %j, even if the list lags behind', async (query, ids) => {
    const page = await pageOf(query);
    expect([idsOf(page), page.next_cursor]).toEqual([ids, null]);
  });

  it.each<[string, number[]]>([
    ['3,1,2', [3, 1, 2]],
    ['4', [4]],
    ['9,5,1,5', [5, 1]],
  ])('with ids=%s returns these items %j, inactive ones too, in this order', async (ids, expected) => {
    const page = await pageOf({ ids });
    expect([idsOf(page), page.next_cursor]).toEqual([expected, null]);
  });

  it('continues at the cursor, across short pages, until it is null', async () => {
    const pages: number[][] = [];
    let cursor: string | null = '';
    for (let count = 0; cursor !== null && count < 9; count += 1) {
      const page: Page = await pageOf({ limit: '1', ...(cursor !== '' && { cursor }) });
      pages.push(idsOf(page));
      cursor = page.next_cursor;
    }
    // The second item by name is inactive.
    expect(pages).toEqual([[2], [], [5], [3], [1]]);
  });

  it('reads the account again only once, however many categories are newer than the cached one', async () => {
    const all = [item(1, 'A'), item(2, 'B', { category: 8 }), item(3, 'C', { category: 9 })];
    const { list, called } = open(all);
    const names = ['General', null, null].map((name) => ({ category_name: name }));
    expect((await list(gatewayEvent())).body).toMatchObject({ data: names });
    expect(called).toEqual(['account', 'listItems', 'currentAccount']);
  });

  it('shows the items also when a newer category cannot be read, without its name', async () => {
    const { store } = open([item(1, 'A'), item(2, 'B', { category: 9 })]);
    const failing = { ...store, currentAccount: () => Promise.reject(new CatalogError('SERVICE_UNAVAILABLE')) };
    const data = [{ category_name: 'General' }, { category: 9, category_name: null }];
    expect(await readersOf(() => failing).list(gatewayEvent())).toMatchObject({ status: 200, body: { data } });
  });

  it.each([
    ['the whole list', {}],
    ['ids', { ids: '10,9,8,7,6,5,4,3,2,1' }],
  ])("ends a page of %s at 5 MB, within Lambda's limit, and continues with the next item", async (_of, asked) => {
    // One byte when it is stored, six when it is shown as JSON.
    const description = '\u0001'.repeat(20_000);
    const metadata = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`k${index}`, '\u0001'.repeat(2_000)]),
    );
    const all = Array.from({ length: 10 }, (_, index) => item(index + 1, 'A', { description, metadata }));
    const seen: number[] = [];
    let cursor: string | null = '';
    for (let count = 0; cursor !== null && count < 10; count += 1) {
      const query: Record<string, string> = cursor === '' ? asked : { ...asked, cursor };
      const { body } = await open(all).list(gatewayEvent({ query }));
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(5.5 * 2 ** 20);
      seen.push(...idsOf(body as Page));
      cursor = (body as Page).next_cursor;
    }
    const all10 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(seen).toEqual('ids' in asked ? all10.toReversed() : all10);
  });

  it('rejects invalid parameters before anything is read', async () => {
    const { list, called } = open();
    expect(await list(gatewayEvent({ query: { limit: '0' } }))).toMatchObject({ status: 422 });
    expect(called).toEqual([]);
  });
});
