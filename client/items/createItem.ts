import { unanswered, unwrap } from '../http/answer.ts';
import type { CallerStorage, Client, Item, Schemas } from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { removeAll } from '../storage/storedEntries.ts';
import { beginCreate, type Caller, isExpired, openCreates, sendCreate, storedCreates } from './openCreates.ts';

export interface CreateOptions extends RequestOptions {
  /** The catalog from which the form was built. */
  readonly catalog: Caller;
  /** Keeps the creates that are not answered. Without it, a reload forgets them. */
  readonly storage: CallerStorage | undefined;
  /** True to create another item although one with an equal body may exist, as after `CREATE_EXPIRED`. */
  readonly isNew?: boolean | undefined;
}

/**
 * Creates an item exactly once, even if the response is lost or the page is reloaded. To try again, call it with an equal
 * body: as long as a create was not answered, another one with its body is the same.
 * @throws RequestError, with the code `CREATE_EXPIRED` if an equal create got no answer so long ago that to send it again
 * could make a second item: look whether it exists
 * @example const item = await createItem(client, { name: 'Oak desk', value: 499.9 }, { catalog, storage: sessionStorage });
 */
export async function createItem(client: Client, body: Schemas['NewItem'], options: CreateOptions): Promise<Item> {
  const { catalog, storage, isNew = false } = options;
  if (isNew) storedCreates(storage).write(beginCreate(catalog, storage, body).create.key, undefined);
  const { create } = beginCreate(catalog, storage, body);
  if (isExpired(create))
    throw unanswered(0, 'CREATE_EXPIRED', 'This item may exist: its create got no answer.', create);
  return sendCreate(client, storage, create, options);
}

/**
 * Call it when the page loads, until it returns undefined. Sends the oldest create that was never answered; the same key
 * creates nothing twice. Those of another user, or whose key no longer protects them, are dropped.
 * @returns the item; undefined if nothing is open
 * @throws RequestError, also if a create is refused for good: then the next call sends the next one
 * @example while ((await resumeCreate(client, { storage: sessionStorage })) !== undefined); // all that are open
 */
export async function resumeCreate(
  client: Client,
  options: Pick<CreateOptions, 'storage'> & RequestOptions,
): Promise<Item | undefined> {
  const { storage } = options;
  const stored = storedCreates(storage);
  if (Object.keys(stored.all()).length === 0) return undefined;
  const { data } = unwrap(await client.GET('/api/v1/api/v1/catalog', requestOptions(options)));
  // Read only now: the user may have signed out in the meantime.
  const open = openCreates(data, storage);
  for (const [name, { key }] of Object.entries(stored.all()))
    if (!open.some((create) => create.key === key)) stored.write(name, undefined);
  return open[0] && sendCreate(client, storage, open[0], options);
}

/**
 * Call it at sign-out: nobody else may see or send what the user has left open.
 * @example forgetCreates(sessionStorage);
 */
export const forgetCreates = (storage: CallerStorage | undefined): void => removeAll(storedCreates(storage));
