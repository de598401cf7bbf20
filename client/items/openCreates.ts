import { canonicalJson, type Json } from '../../lib/item/json.ts';
import {
  type CallerStorage,
  type Catalog,
  type Client,
  type Item,
  newKey,
  type Schemas,
  unwrap,
} from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { isTransient } from '../http/retryUntilDone.ts';
import { keyLifetime, storedEntries } from '../storage/storedEntries.ts';

export type Caller = Pick<Catalog, 'account' | 'user'>;

/** A create from before it is sent until it is answered. */
export interface OpenCreate extends Caller {
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
export function beginCreate(caller: Caller, storage: CallerStorage | undefined, body: Schemas['NewItem']) {
  const { account, user } = caller;
  const same = createsOf(caller, storage).find((open) => isEqualBody(open.body, body));
  const create = same ?? { account, user, key: newKey(), until: Date.now() + keyLifetime, body };
  return { create, isSaved: storedCreates(storage).write(create.key, create) };
}

const createsOf = ({ account, user }: Caller, storage: CallerStorage | undefined): OpenCreate[] =>
  Object.values(storedCreates(storage).all()).filter((create) => create.account === account && create.user === user);

/** The creates of a user that can be sent again, the oldest first. */
export const openCreates = (caller: Caller, storage: CallerStorage | undefined): OpenCreate[] =>
  createsOf(caller, storage).filter((create) => !isExpired(create));

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
