import { canonicalJson, type Json } from '../../lib/item/json.ts';
import type { CallerStorage, Catalog, Client, Item, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { newKey, requestOptions, unanswered, unwrap } from '../http/catalogClient.ts';
import { isTransient } from '../http/retryUntilDone.ts';
import { keyLifetime, removeAll, serviceOf, storedEntries } from '../storage/storedEntries.ts';

export type Caller = Pick<Catalog, 'account' | 'user'>;

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
  if (isNew) storedCreates(storage).write(beginCreate(client, catalog, storage, body).create.key, undefined);
  const { create } = beginCreate(client, catalog, storage, body);
  if (isExpired(create))
    throw unanswered(0, 'CREATE_EXPIRED', 'This item may exist: its create got no answer.', create);
  return sendCreate(client, storage, create, options);
}

/**
 * Call it when the page loads, until it returns undefined. Sends the oldest create that was never answered; the same key
 * creates nothing twice. Those of another user, or whose key no longer protects them, are dropped, and those of another
 * service are left.
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
  const open = openCreates(client, data, storage);
  for (const [name, create] of Object.entries(stored.all()))
    if (isOfService(client, create) && !open.some(({ key }) => key === create.key)) stored.write(name, undefined);
  return open[0] && sendCreate(client, storage, open[0], options);
}

/**
 * Call it at sign-out: nobody else may see or send what the user has left open.
 * @example forgetCreates(sessionStorage);
 */
export const forgetCreates = (storage: CallerStorage | undefined): void => removeAll(storedCreates(storage));

/** A create from before it is sent until it is answered. */
export interface OpenCreate extends Caller {
  /** The service that it is of. Versions up to ce34ec57 stored none. */
  readonly service?: string | undefined;
  readonly key: string;
  /** When the key no longer protects it, in milliseconds since 1970. */
  readonly until: number;
  readonly body: Schemas['NewItem'];
}

/** How long an expired create is still asked about, in milliseconds. */
const memory = 7 * 24 * 3_600_000;

export const storedCreates = (storage: CallerStorage | undefined) =>
  storedEntries<OpenCreate>(storage, 'catalog.create', ({ until }) => until + memory < Date.now());

/** True if the key no longer protects the create: sent again, it could make a second item. */
export const isExpired = ({ until }: OpenCreate): boolean => Date.now() >= until;

/** True of bodies that the service takes as equal: the order of their members is of no matter. */
export const isEqualBody = (body: object, other: object): boolean =>
  canonicalJson(body as Json) === canonicalJson(other as Json);

/** Stores a create before it is sent, or finds the one with an equal body, which can be expired. */
export function beginCreate(
  client: Client,
  caller: Caller,
  storage: CallerStorage | undefined,
  body: Schemas['NewItem'],
) {
  const { account, user } = caller;
  const same = createsOf(client, caller, storage).find((open) => isEqualBody(open.body, body));
  const begun = { service: serviceOf(client), account, user, key: newKey(), until: Date.now() + keyLifetime, body };
  const create: OpenCreate = same ?? begun;
  return { create, isSaved: storedCreates(storage).write(create.key, create) };
}

const isOfService = (client: Client, { service = serviceOf(client) }: OpenCreate): boolean =>
  service === serviceOf(client);

const createsOf = (client: Client, { account, user }: Caller, storage: CallerStorage | undefined): OpenCreate[] =>
  Object.values(storedCreates(storage).all()).filter(
    (create) => isOfService(client, create) && create.account === account && create.user === user,
  );

/** The creates of a user that can be sent again, the oldest first. */
export const openCreates = (client: Client, caller: Caller, storage: CallerStorage | undefined): OpenCreate[] =>
  createsOf(client, caller, storage).filter((create) => !isExpired(create));

/** Sends a create, and forgets it once its outcome is known: not after 401 (sign in and try again), 429, 5xx and no answer. */
export async function sendCreate(
  client: Client,
  storage: CallerStorage | undefined,
  { key, body }: OpenCreate,
  options: RequestOptions = {},
): Promise<Item> {
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body, ...requestOptions(options) });
  if (!isTransient(answer.response.status)) storedCreates(storage).write(key, undefined);
  return unwrap(answer).data;
}
