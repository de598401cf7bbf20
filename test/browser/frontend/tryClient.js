import { createCatalogClient, loadCatalog, messagesOf, newKey } from 'catalog-client';
import { createItem, resumeCreate } from 'catalog-client/createItem';
import { followChanges, latestCursor, listItemChanges } from 'catalog-client/followChanges';
import { ItemSearch } from 'catalog-client/itemSearch';
import { ifMatch, listItems, loadItem, loadItems } from 'catalog-client/readItems';
import { saveItem } from 'catalog-client/saveItem';
import { undo } from 'catalog-client/undo';

/** Does what a frontend does, and returns what it has seen. */
export async function tryClient(url, token) {
  const client = createCatalogClient({ baseUrl: url, getAccessToken: async () => token });
  const kept = new Map();
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  const catalog = await loadCatalog(client);
  const cursor = await latestCursor(client);
  const mark = crypto.randomUUID();

  const refused = await createItem(client, { name: ' ' }, { catalog, storage }).catch((error) => error);
  const created = await createItem(client, { name: `Tried ${mark}`, sku: mark, value: 1 }, { catalog, storage });
  const item = await loadItem(client, created.id);
  const save = (changes) => saveItem(client, { item, changes, key: newKey() });
  const saved = await save({ value: 2 });
  const conflict = await save({ value: 3 }).catch((error) => error);
  const merged = await save({ metadata: { color: 'oak' } });

  let followed;
  for await (const { changes } of followChanges(client, cursor, { interval: 200 })) {
    followed = changes.findLast(({ item }) => item === created.id);
    if (followed?.revision === merged.item.revision) break;
  }
  const signedOut = new AbortController();
  const search = new ItemSearch(client, { signal: signedOut.signal });
  await search.load();
  const found = await search.find(`${mark} tried`);
  signedOut.abort();
  let [named, changed] = [0, 0];
  for await (const _ of listItems(client, { search: `tried ${mark}` })) named += 1;
  for await (const _ of listItemChanges(client, created.id)) changed += 1;
  const failure = await loadCatalog(
    createCatalogClient({ baseUrl: url, getAccessToken: async () => 'no token' }),
  ).catch((error) => error);
  const to = new Date(Date.parse(followed.recorded_at) + 1_000);
  while (Date.now() < to) await new Promise((resolve) => setTimeout(resolve, 100));
  const target = { users: [catalog.user], kinds: ['updated'], items: [created.id], from: new Date(to - 60_000), to };
  let undone;
  for await (undone of undo(client, target, { storage }));
  const back = await loadItem(client, created.id);
  return {
    ...{
      refused: Object.keys(messagesOf(refused).inputs),
      left: (await resumeCreate(client, { storage })) ?? null,
    },
    ...{ etag: ifMatch(item), saved: saved.item.value, conflict: conflict.item.value },
    ...{ merged: [merged.item.value, merged.item.metadata], followed: followed.revision },
    ...{ found: found.length, named, changed, loaded: (await loadItems(client, [created.id, 999_999])).length },
    ...{ undone: [undone.updates, back.value, back.metadata] },
    ...{ failure: [failure.status, failure.code, typeof failure.requestId] },
  };
}
