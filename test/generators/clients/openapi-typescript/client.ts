import createClient from 'openapi-fetch';
import type { paths } from './catalog.ts';

const { CATALOG_URL: baseUrl = '', CATALOG_TOKEN: token } = process.env;
const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

function dataOf<T>({ data, error }: { data?: { data: T } | undefined; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data.data;
}

const created = dataOf(
  await api.POST('/api/v1/api/v1/items', {
    body: { name: 'Oak desk', value: 1_234_567.89, sku: 'openapi-typescript', metadata: { size: { people: [4, 6] } } },
  }),
);
const path = { id: created.id };
const updated = dataOf(
  await api.PUT('/api/v1/api/v1/items/{id}', { params: { path }, body: { value: 0, metadata: { color: 'black' } } }),
);
const read = dataOf(await api.GET('/api/v1/api/v1/items/{id}', { params: { path } }));
const [listed] = dataOf(await api.GET('/api/v1/api/v1/items', { params: { query: { sku: 'openapi-typescript' } } }));
const ids = [created.id, created.id + 1_000_000];
const both = dataOf(await api.GET('/api/v1/api/v1/items', { params: { query: { ids } } }));
const changes = dataOf(await api.GET('/api/v1/api/v1/changes'));
const { limits } = dataOf(await api.GET('/api/v1/api/v1/catalog'));

console.log(JSON.stringify([created, updated, read, listed, limits.name.max, both.length, changes.length]));
