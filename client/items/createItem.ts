import type { CallerStorage, Client, Schemas } from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import {
  beginCreate,
  type Caller,
  type Created,
  createNotes,
  type OpenCreate,
  openCreates,
  sendCreate,
} from './openCreates.ts';

/**
 * Creates an item exactly once, even if the response is lost or the page is reloaded. To try again, call it with an equal
 * body: as long as a create was not answered, another one with its body is the same.
 * @param caller the catalog from which the form was built
 * @param storage keeps the creates that are not answered
 * @returns also whether the storage keeps it. If not, it is known until the page is reloaded
 * @example const { data, error } = await createItem(client, catalog, sessionStorage, { name: 'Oak desk', value: 499.9 });
 */
export async function createItem(
  client: Client,
  caller: Caller,
  storage: CallerStorage | undefined,
  body: Schemas['NewItem'],
  options: RequestOptions = {},
): Promise<Created & { readonly isKept: boolean }> {
  const { create, isKept } = beginCreate(caller, storage, body);
  return { ...(await sendCreate(client, storage, create, options)), isKept };
}

/**
 * Call it when the page loads. Sends the oldest create that was never answered; the same key creates nothing twice. Those
 * of another user, or whose key no longer protects them, are dropped.
 * @returns the answer; undefined if nothing is open
 * @example while ((await resumeCreate(client, sessionStorage))?.data !== undefined); // all that are open
 */
export async function resumeCreate(
  client: Client,
  storage: CallerStorage | undefined,
  options: RequestOptions = {},
): Promise<Created | undefined> {
  const notes = createNotes(storage);
  if (Object.keys(notes.all()).length === 0) return undefined;
  const catalog = await client.GET('/api/v1/api/v1/catalog', requestOptions(options));
  if (catalog.error !== undefined) return catalog;
  // Read only now: the user may have signed out in the meantime.
  const open = openCreates(catalog.data.data, storage);
  for (const [name, { key }] of Object.entries(notes.all()))
    if (!open.some((create) => create.key === key)) notes.write(name, undefined);
  return open[0] && sendCreate(client, storage, open[0], options);
}

/**
 * Call it at sign-out: nobody else may see or send what the user has left open.
 * @param create only this one, which was given up
 * @example forgetCreate(sessionStorage);
 */
export function forgetCreate(storage: CallerStorage | undefined, create?: OpenCreate): void {
  const notes = createNotes(storage);
  for (const name of create === undefined ? Object.keys(notes.all()) : [create.key]) notes.write(name, undefined);
}
