import createClient from 'openapi-fetch';
import type { components, paths } from './catalogApi.d.ts';

type Schemas = components['schemas'];
type Item = Schemas['Item'];

/** An item in a form, with the `ETag` of the revision that was loaded. */
export interface LoadedItem {
  item: Item;
  etag: string;
}

/** Retries 429 and 503 after `retry-after`, waiting a little longer each time. */
async function fetchWithRetry(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.clone());
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    if (seconds === 0 || attempt === 5) return response;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000 * attempt * (0.5 + Math.random())));
  }
}

export function catalogClient(baseUrl: string, accessToken: () => Promise<string>) {
  const client = createClient<paths>({ baseUrl, fetch: fetchWithRetry });
  client.use({
    async onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${await accessToken()}`);
    },
  });
  return client;
}

type Client = ReturnType<typeof catalogClient>;

/** The data needed to build a form: categories, units, defaults, limits, and the user's permissions. */
export const loadCatalog = async (client: Client) => (await client.GET('/api/v1/api/v1/catalog')).data?.data;

/** All items whose name starts with a text, page by page. A page may be short; only a null cursor ends the list. */
export async function* searchItems(client: Client, search: string): AsyncGenerator<Item> {
  let cursor: string | null | undefined;
  do {
    const query = { search, ...(cursor && { cursor }) };
    const { data, error } = await client.GET('/api/v1/api/v1/items', { params: { query } });
    if (error) throw new Error(error.error.message);
    yield* data.data;
    cursor = data.next_cursor;
  } while (cursor !== null);
}

/** The current item, for a form; undefined if it does not exist. */
export async function loadItem(client: Client, id: number): Promise<LoadedItem | undefined> {
  const { data, response } = await client.GET('/api/v1/api/v1/items/{id}', { params: { path: { id } } });
  return data && { item: data.data, etag: response.headers.get('etag') ?? '*' };
}

/** Remembers a create until its response arrives: `sessionStorage`, or any storage that survives a reload. */
export type Pending = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Creates an item exactly once, even if the response is lost or the page is reloaded. */
export async function createItem(client: Client, pending: Pending, body: Schemas['NewItem']) {
  pending.setItem('create', JSON.stringify({ key: crypto.randomUUID(), body }));
  return resumeCreate(client, pending);
}

/** Call it when the page loads. Retries a create whose response never arrived; the same key creates nothing twice. */
export async function resumeCreate(client: Client, pending: Pending) {
  const kept = pending.getItem('create');
  if (kept === null) return undefined;
  const { key, body } = JSON.parse(kept) as { key: string; body: Schemas['NewItem'] };
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body });
  // The outcome is still open: 401 (sign in and call this again), 429, and 5xx.
  const isDecided = answer.response.status < 500 && ![401, 429].includes(answer.response.status);
  if (isDecided) pending.removeItem('create');
  return answer;
}

/**
 * Saves only what the user has changed. If somebody else has changed other fields of the item in the meantime, both
 * changes are kept. If they changed the same fields, nothing is saved, and `conflict` is the current item, so that the
 * user can decide.
 */
export async function saveItem(client: Client, loaded: LoadedItem, changes: Schemas['ItemChanges']) {
  const params = { path: { id: loaded.item.id }, header: { 'If-Match': loaded.etag } };
  const answer = await client.PUT('/api/v1/api/v1/items/{id}', { params, body: changes });
  if (answer.error === undefined || !('data' in answer.error)) return answer;
  const current = { item: answer.error.data, etag: answer.response.headers.get('etag') ?? '*' };
  const isChanged = (field: string) => text(current.item, field) !== text(loaded.item, field);
  if (Object.keys(changes).some(isChanged)) return { ...answer, conflict: current };
  return saveItem(client, current, changes);
}

const text = (item: Item, field: string) => JSON.stringify(item[field as keyof Item]);

type Refusal = Schemas['ValidationFailed'] | Schemas['ItemAlreadyExists'] | { error: { message: string } };

/** The messages for each input, and for the whole form if no input is at fault. Inputs of metadata include the path. */
export function messagesOf({ error }: Refusal) {
  if (!('fields' in error)) return { form: error.message, inputs: {} };
  const inputOf = (one: (typeof error.fields)[number]) => ('path' in one ? `${one.field}${one.path}` : one.field);
  return { form: '', inputs: Object.fromEntries(error.fields.map((one) => [inputOf(one), one.reason])) };
}
