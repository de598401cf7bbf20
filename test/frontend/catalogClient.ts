import createClient from 'openapi-fetch';
import type { components, paths } from './catalogApi.d.ts';

type Schemas = components['schemas'];
export type Item = Schemas['Item'];
type Changes = Schemas['ItemChanges'];

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

/** The client that the functions below take. It waits and retries when the service is busy. */
export function catalogClient(baseUrl: string, accessToken: () => Promise<string>) {
  const client = createClient<paths>({
    baseUrl,
    fetch: fetchWithRetry,
    querySerializer: { array: { style: 'form', explode: false } },
  });
  client.use({
    async onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${await accessToken()}`);
    },
  });
  return client;
}

export type Client = ReturnType<typeof catalogClient>;

/**
 * Call it after each sign-in. The data needed to build a form: categories, units, defaults, limits; and who the user is
 * and what they may do.
 */
export async function loadCatalog(client: Client): Promise<Schemas['Catalog']> {
  const { data, error } = await client.GET('/api/v1/api/v1/catalog');
  if (error) throw new Error(error.error.message);
  return data.data;
}

/** All items whose name starts with a text, page by page. A page may be short; only a null cursor ends the list. */
export async function* searchItems(client: Client, search: string, limit = 50): AsyncGenerator<Item> {
  let cursor: string | null | undefined;
  do {
    const query = { search, limit, ...(cursor && { cursor }) };
    const { data, error } = await client.GET('/api/v1/api/v1/items', { params: { query } });
    if (error) throw new Error(error.error.message);
    yield* data.data;
    cursor = data.next_cursor;
  } while (cursor !== null);
}

/** The current items with these ids, for the lines of a proposal. Missing ones are left out. */
export async function loadItems(client: Client, ids: readonly number[]): Promise<Item[]> {
  const items: Item[] = [];
  for (let start = 0; start < ids.length; start += 100)
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { ids: ids.slice(start, start + 100), ...(cursor && { cursor }) };
      const { data, error } = await client.GET('/api/v1/api/v1/items', { params: { query } });
      if (error) throw new Error(error.error.message);
      items.push(...data.data);
      cursor = data.next_cursor;
    }
  return items;
}

/** The current item, for a form; undefined if it does not exist. */
export async function loadItem(client: Client, id: number): Promise<LoadedItem | undefined> {
  const { data, error, response } = await client.GET('/api/v1/api/v1/items/{id}', { params: { path: { id } } });
  if (error && response.status !== 404) throw new Error(error.error.message);
  return data && { item: data.data, etag: response.headers.get('etag') ?? '*' };
}

/** Keeps a create until it is answered: `sessionStorage`, or any storage that survives a reload. */
export type Pending = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

type Caller = Pick<Schemas['Catalog'], 'account' | 'user'>;
type PendingCreate = Caller & { key: string; until: number; body: Schemas['NewItem'] };

const slot = 'catalog.create';

/** The service keeps a key for 24 hours. The last of them is left for retries and for a clock that is adjusted. */
const keyLifetime = 23 * 3_600_000;

/** Creates an item exactly once, even if the response is lost or the page is reloaded. */
export async function createItem(client: Client, caller: Caller, pending: Pending, body: Schemas['NewItem']) {
  const { account, user } = caller; // the catalog from which the form was built
  const create: PendingCreate = { account, user, key: crypto.randomUUID(), until: Date.now() + keyLifetime, body };
  const kept = JSON.stringify(create);
  pending.setItem(slot, kept);
  return sendCreate(client, pending, kept);
}

/**
 * Call it when the page loads, and to try again. Sends a create that was never answered; the same key creates nothing
 * twice. A create of another user, or one whose key no longer protects it, is dropped.
 */
export async function resumeCreate(client: Client, pending: Pending) {
  const kept = pending.getItem(slot);
  if (kept === null) return undefined;
  const catalog = await client.GET('/api/v1/api/v1/catalog');
  if (catalog.error) return catalog;
  const { account, user, until } = JSON.parse(kept) as PendingCreate;
  const { data } = catalog.data;
  const isValid = account === data.account && user === data.user && Date.now() < until;
  // The user may have signed out in the meantime.
  if (isValid && pending.getItem(slot) === kept) return sendCreate(client, pending, kept);
  drop(pending, kept);
  return undefined;
}

/** Call it at sign-out: nobody else may see or send what the user has left open. */
export const forgetCreate = (pending: Pending) => pending.removeItem(slot);

async function sendCreate(client: Client, pending: Pending, kept: string) {
  const { key, body } = JSON.parse(kept) as PendingCreate;
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body });
  // The outcome is still open: 401 (sign in and call `resumeCreate`), 429, and 5xx.
  const isDecided = answer.response.status < 500 && ![401, 429].includes(answer.response.status);
  if (isDecided) drop(pending, kept);
  return answer;
}

/** Drops this create, but not a newer one that has taken its place. */
function drop(pending: Pending, kept: string): void {
  if (pending.getItem(slot) === kept) pending.removeItem(slot);
}

/**
 * Saves only what the user has changed. If somebody else has changed other fields or other metadata keys of the item in
 * the meantime, both changes are kept. If they changed the same ones, nothing is saved, and `conflict` is the current
 * item, so that the user can decide.
 * @param key a `crypto.randomUUID()` for these changes. To try again, send the same one: nothing is written twice
 */
export async function saveItem(client: Client, loaded: LoadedItem, changes: Changes, key: string) {
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

type Refusal = Schemas['ValidationFailed'] | Schemas['ItemAlreadyExists'] | { error: { message: string } };

/** The messages for each input, and for the whole form if no input is at fault. Inputs of metadata include the path. */
export function messagesOf({ error }: Refusal) {
  if (!('fields' in error)) return { form: error.message, inputs: {} };
  const inputOf = (one: (typeof error.fields)[number]) => ('path' in one ? `${one.field}${one.path}` : one.field);
  return { form: '', inputs: Object.fromEntries(error.fields.map((one) => [inputOf(one), one.reason])) };
}
