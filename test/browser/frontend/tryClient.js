import { catalogClient, dataOf, loadCatalog, messagesOf } from 'catalog-client';
import { createItem, resumeCreate } from 'catalog-client/createItem';
import { followChanges, latestCursor, listItemChanges } from 'catalog-client/followChanges';
import { ItemSearch } from 'catalog-client/itemSearch';
import { loadItem, loadItems, searchItems } from 'catalog-client/readItems';
import { saveItem } from 'catalog-client/saveItem';
import { undo } from 'catalog-client/undo';

/** Does what a frontend does, and returns what it has seen. */
export async function tryClient(url, token) {
  const client = catalogClient(url, async () => token);
  const kept = new Map();
  const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  const catalog = await loadCatalog(client);
  const cursor = await latestCursor(client);
  const mark = crypto.randomUUID();

  const refused = await createItem(client, catalog, storage, { name: ' ' });
  const created = dataOf(
    await createItem(client, catalog, storage, { name: `Tried ${mark}`, sku: mark, value: 1 }),
  ).data;
  const form = await loadItem(client, created.id);
  const saved = await saveItem(client, form, { value: 2 }, crypto.randomUUID());
  const conflict = await saveItem(client, form, { value: 3 }, crypto.randomUUID());
  const merged = await saveItem(client, form, { metadata: { color: 'oak' } }, crypto.randomUUID());

  let followed;
  for await (const { changes } of followChanges(client, cursor, { interval: 200 })) {
    followed = changes.findLast(({ item }) => item === created.id);
    if (followed?.revision === merged.data.data.revision) break;
  }
  const signedOut = new AbortController();
  const search = new ItemSearch(client, { signal: signedOut.signal });
  await search.load();
  const found = await search.find(`${mark} tried`);
  signedOut.abort();
  let [named, changed] = [0, 0];
  for await (const _ of searchItems(client, `tried ${mark}`)) named += 1;
  for await (const _ of listItemChanges(client, created.id)) changed += 1;
  const failure = await loadCatalog(catalogClient(url, async () => 'no token')).catch((error) => error);
  const to = new Date(Date.parse(followed.recorded_at) + 1_000);
  while (Date.now() < to) await new Promise((resolve) => setTimeout(resolve, 100));
  const target = { users: [catalog.user], kinds: ['updated'], items: [created.id], from: new Date(to - 60_000), to };
  let undone;
  for await (undone of undo(client, target, { storage }));
  const { item: back } = await loadItem(client, created.id);
  return {
    ...{ refused: Object.keys(messagesOf(refused.error).inputs), left: (await resumeCreate(client, storage)) ?? null },
    ...{ etag: form.etag, saved: saved.data.data.value, conflict: conflict.conflict.item.value },
    ...{ merged: [merged.data.data.value, merged.data.data.metadata], followed: followed.revision },
    ...{ found: found.length, named, changed, loaded: (await loadItems(client, [created.id, 999_999])).length },
    ...{ undone: [undone.updates, back.value, back.metadata] },
    ...{ failure: [failure.status, failure.code, typeof failure.requestId] },
  };
}
