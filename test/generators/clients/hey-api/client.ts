import { client } from './catalog/client.gen.ts';
import { createItem, getCatalog, getItem, listChanges, listItems, updateItem } from './catalog/index.ts';

const { CATALOG_URL: baseUrl = '', CATALOG_TOKEN: token } = process.env;
client.setConfig({ baseUrl, auth: token, throwOnError: true });
const throwOnError = true;

const created = await createItem({
  body: { name: 'Oak desk', value: 1_234_567.89, sku: 'hey-api', metadata: { size: { people: [4, 6] } } },
  throwOnError,
});
const path = { id: created.data.data.id };
const updated = await updateItem({ path, body: { value: 0, metadata: { color: 'black' } }, throwOnError });
const read = await getItem({ path, throwOnError });
const list = await listItems({ query: { sku: 'hey-api' }, throwOnError });
const both = await listItems({ query: { ids: [path.id, path.id + 1_000_000] }, throwOnError });
const changes = await listChanges({ throwOnError });
const catalog = await getCatalog({ throwOnError });

const items = [created, updated, read].map(({ data }) => data.data);
const counts = [both.data.data.length, changes.data.data.length];
console.log(JSON.stringify([...items, list.data.data[0], catalog.data.data.limits.name.max, ...counts]));
