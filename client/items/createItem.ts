import {
  type Answer,
  type CallerStorage,
  type Catalog,
  type Client,
  newKey,
  type Schemas,
} from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { mayPass } from '../http/untilDone.ts';
import { keyLifetime } from '../notes.ts';

type Caller = Pick<Catalog, 'account' | 'user'>;
type PendingCreate = Caller & { key: string; until: number; body: Schemas['NewItem'] };

const slot = 'catalog.create';

/**
 * Creates an item exactly once, even if the response is lost or the page is reloaded. To try again, call it with an equal
 * body: as long as a create was not answered, another one with its body is the same.
 * @param caller the catalog from which the form was built
 * @param pending keeps the creates that are not answered
 * @example const { data, error } = await createItem(client, catalog, sessionStorage, { name: 'Oak desk', value: 499.9 });
 */
export async function createItem(
  client: Client,
  caller: Caller,
  pending: CallerStorage,
  body: Schemas['NewItem'],
  options: RequestOptions = {},
): Promise<Answer<Schemas['ItemResponse']>> {
  const { account, user } = caller;
  const all = openIn(pending);
  const isSame = (one: PendingCreate) => isOf(one, caller) && textOf(one.body) === textOf(body);
  const create = all.find(isSame) ?? { account, user, key: newKey(), until: Date.now() + keyLifetime, body };
  keep(pending, [...all.filter(({ key }) => key !== create.key), create]);
  return sendCreate(client, pending, create, options);
}

/**
 * Call it when the page loads. Sends the oldest create that was never answered; the same key creates nothing twice. Those
 * of another user, or whose key no longer protects them, are dropped.
 * @returns the answer; undefined if nothing is open
 * @example while ((await resumeCreate(client, sessionStorage))?.data !== undefined); // all that are open
 */
export async function resumeCreate(
  client: Client,
  pending: CallerStorage,
  options: RequestOptions = {},
): Promise<Answer<Schemas['ItemResponse']> | undefined> {
  if (openIn(pending).length === 0) return undefined;
  const catalog = await client.GET('/api/v1/api/v1/catalog', requestOptions(options));
  if (catalog.error !== undefined) return catalog;
  // Read only now: the user may have signed out in the meantime.
  const valid = openIn(pending).filter((one) => isOf(one, catalog.data.data));
  keep(pending, valid);
  return valid[0] && sendCreate(client, pending, valid[0], options);
}

/**
 * Call it at sign-out: nobody else may see or send what the user has left open.
 * @param body only the create with this body, which was given up
 * @example forgetCreate(sessionStorage);
 */
export const forgetCreate = (pending: CallerStorage, body?: Schemas['NewItem']): void =>
  keep(pending, body === undefined ? [] : openIn(pending).filter((one) => textOf(one.body) !== textOf(body)));

async function sendCreate(
  client: Client,
  pending: CallerStorage,
  { key, body }: PendingCreate,
  options: RequestOptions,
) {
  const params = { header: { 'Idempotency-Key': key } };
  const answer = await client.POST('/api/v1/api/v1/items', { params, body, ...requestOptions(options) });
  // Else the outcome is open: 401 (sign in and try again), 429, and 5xx.
  if (!mayPass(answer.response.status))
    keep(
      pending,
      openIn(pending).filter((one) => one.key !== key),
    );
  return answer;
}

/** An earlier version kept only one. */
const openIn = (pending: CallerStorage): PendingCreate[] => [JSON.parse(pending.getItem(slot) ?? '[]')].flat();

const keep = (pending: CallerStorage, all: readonly PendingCreate[]): void =>
  all.length === 0 ? pending.removeItem(slot) : pending.setItem(slot, JSON.stringify(all));

const isOf = ({ account, user, until }: PendingCreate, caller: Caller): boolean =>
  account === caller.account && user === caller.user && Date.now() < until;

const textOf = (body: Schemas['NewItem']): string => JSON.stringify(body);
