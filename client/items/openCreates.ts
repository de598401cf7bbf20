import {
  type Answer,
  type CallerStorage,
  type Catalog,
  type Client,
  newKey,
  type Schemas,
} from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { isTransient } from '../http/retryUntilDone.ts';
import { keyLifetime, storedEntries } from '../storage/storedEntries.ts';

export type Caller = Pick<Catalog, 'account' | 'user'>;
export type Created = Answer<Schemas['ItemResponse']>;

/** A create from before it is sent until it is answered. */
export interface OpenCreate extends Caller {
  readonly key: string;
  /** When the key no longer protects it, in milliseconds since 1970. */
  readonly until: number;
  readonly body: Schemas['NewItem'];
}

export const createNotes = (storage: CallerStorage | undefined) => storedEntries<OpenCreate>(storage, 'catalog.create');

/** Notes a create before it is sent, or finds the open one with an equal body. @returns whether the storage keeps it */
export function beginCreate(caller: Caller, storage: CallerStorage | undefined, body: Schemas['NewItem']) {
  const { account, user } = caller;
  const isSame = (open: OpenCreate) => JSON.stringify(open.body) === JSON.stringify(body);
  const same = openCreates(caller, storage).find(isSame);
  const create = same ?? { account, user, key: newKey(), until: Date.now() + keyLifetime, body };
  return { create, isKept: createNotes(storage).write(create.key, create) };
}

/** The creates of a user that are not answered, the oldest first. Those that no key protects any more are left out. */
export const openCreates = (caller: Caller, storage: CallerStorage | undefined): OpenCreate[] =>
  Object.values(createNotes(storage).all()).filter(
    ({ account, user, until }) => account === caller.account && user === caller.user && Date.now() < until,
  );

/** Sends a create, and forgets it once its outcome is known: not after 401 (sign in and try again), 429, and 5xx. */
export async function sendCreate(
  client: Client,
  storage: CallerStorage | undefined,
  { key, body }: OpenCreate,
  options: RequestOptions = {},
): Promise<Created> {
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body, ...requestOptions(options) });
  if (!isTransient(answer.response.status)) createNotes(storage).write(key, undefined);
  return answer;
}
