import type { Answer, CallerStorage, Catalog, Client, Schemas } from './catalogClient.ts';
import { keyLifetime } from './notes.ts';
import { type RequestOptions, requestOptions } from './requestOptions.ts';
import { mayPass } from './untilDone.ts';

type Caller = Pick<Catalog, 'account' | 'user'>;
type PendingCreate = Caller & { key: string; until: number; body: Schemas['NewItem'] };

const slot = 'catalog.create';

/**
 * Creates an item exactly once, even if the response is lost or the page is reloaded.
 * @param caller the catalog from which the form was built
 * @param pending keeps the create until it is answered
 */
export async function createItem(
  client: Client,
  caller: Caller,
  pending: CallerStorage,
  body: Schemas['NewItem'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['ItemResponse']>> {
  const { account, user } = caller;
  const create: PendingCreate = { account, user, key: crypto.randomUUID(), until: Date.now() + keyLifetime, body };
  const kept = JSON.stringify(create);
  pending.setItem(slot, kept);
  return sendCreate(client, pending, kept, options);
}

/**
 * Call it when the page loads, and to try again. Sends a create that was never answered; the same key creates nothing
 * twice. A create of another user, or one whose key no longer protects it, is dropped.
 * @returns the answer; undefined if nothing was open
 */
export async function resumeCreate(
  client: Client,
  pending: CallerStorage,
  options: RequestOptions = {},
): Promise<Answer<Schemas['ItemResponse']> | undefined> {
  const kept = pending.getItem(slot);
  if (kept === null) return undefined;
  const catalog = await client.GET('/api/v1/api/v1/catalog', requestOptions(options));
  if (catalog.error !== undefined) return catalog;
  const { account, user, until } = JSON.parse(kept) as PendingCreate;
  const { data } = catalog.data;
  const isValid = account === data.account && user === data.user && Date.now() < until;
  // The user may have signed out in the meantime.
  if (isValid && pending.getItem(slot) === kept) return sendCreate(client, pending, kept, options);
  drop(pending, kept);
  return undefined;
}

/** Call it at sign-out: nobody else may see or send what the user has left open. */
export const forgetCreate = (pending: CallerStorage): void => pending.removeItem(slot);

async function sendCreate(client: Client, pending: CallerStorage, kept: string, options: RequestOptions) {
  const { key, body } = JSON.parse(kept) as PendingCreate;
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body, ...requestOptions(options) });
  // Else the outcome is open: 401 (sign in and call `resumeCreate`), 429, and 5xx.
  if (!mayPass(answer.response.status)) drop(pending, kept);
  return answer;
}

/** Drops this create, but not a newer one that has taken its place. */
function drop(pending: CallerStorage, kept: string): void {
  if (pending.getItem(slot) === kept) pending.removeItem(slot);
}
