import type { Answer, Client, Item, Schemas } from './catalogClient.ts';
import type { LoadedItem } from './readItems.ts';

type Changes = Schemas['ItemChanges'];

/**
 * Saves only what the user has changed. If somebody else has changed other fields or other metadata keys of the item in
 * the meantime, both changes are kept. If they changed the same ones, nothing is saved, and `conflict` is the current
 * item, so that the user can decide.
 * @param key a `crypto.randomUUID()` for these changes. To try again, send the same one: nothing is written twice
 */
export async function saveItem(
  client: Client,
  loaded: LoadedItem,
  changes: Changes,
  key: string,
): Promise<Answer<Schemas['ItemResponse']> & { readonly conflict?: LoadedItem }> {
  const header = { 'If-Match': loaded.etag, 'Idempotency-Key': key };
  const params = { path: { id: loaded.item.id }, header };
  const answer = await client.PUT('/api/v1/api/v1/items/{id}', { params, body: changes });
  if (answer.error === undefined || !('data' in answer.error)) return answer;
  const current = { item: answer.error.data, etag: answer.response.headers.get('etag') ?? '*' };
  if (isConflict(loaded.item, current.item, changes)) return { ...answer, conflict: current };
  return saveItem(client, current, changes, key);
}

/** Whether somebody else has changed what the user has, to anything but what the user wants. */
function isConflict(loaded: Item, current: Item, { metadata, ...fields }: Changes): boolean {
  const differs = (was: Values, now: Values, wanted: Values) =>
    Object.keys(wanted).some((key) => ![text(was[key]), text(wanted[key])].includes(text(now[key])));
  return differs(loaded, current, fields) || differs(loaded.metadata, current.metadata, metadata ?? {});
}

type Values = Readonly<Record<string, unknown>>;

/** A missing metadata key is as good as null, which removes it. */
const text = (value: unknown) => JSON.stringify(value ?? null);
