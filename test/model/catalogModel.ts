import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import type { ItemState } from '../support/itemModel.ts';
import {
  categories,
  created,
  decimals,
  fields,
  hasTooMuch,
  stateOf,
  updated,
  validated,
} from '../support/itemModel.ts';

/** The whole catalog as a plain program in memory, written apart from the service's rules. */

/** One request, and by whom. */
export interface ModelRequest {
  readonly account: string;
  readonly user: string;
  readonly seesCost: boolean;
  readonly body: JsonObject;
}

/** What is compared of an answer. */
export interface Answer {
  readonly status: number;
  readonly code?: string;
  /** The fields that are named as invalid, or as taken: `sku of 7`. */
  readonly fields?: readonly string[];
  readonly data?: JsonObject;
  readonly etag?: string;
  readonly location?: string;
  readonly replayed?: boolean;
}

interface ModelItem {
  /** As one who may see everything is shown it. */
  readonly data: JsonObject;
  readonly revision: number;
}

interface StoredKey {
  readonly body: JsonObject;
  readonly id: number;
  readonly data: JsonObject;
  /** In seconds since 1970. */
  readonly ends: number;
}

const day = 24 * 60 * 60;
/** An item as it is answered, its members in their order. */
function answered(state: ItemState, id: number, writes: Writes): JsonObject {
  const members = fields.flatMap((name) => [
    [name, state[name] ?? null],
    ...(name === 'category' ? [['category_name', categories[String(state[name])] ?? null]] : []),
  ]);
  return { id, ...Object.fromEntries(members), ...writes };
}

/** The members of an answered item about its writes, in their order. */
type Writes = Readonly<Record<'create_date' | 'revision' | 'updated_at' | 'updated_by', Json>>;

const timestamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}+00:00`;

function invalidFields(body: JsonObject, isCreate: boolean): string[] {
  return fields.filter((name) => {
    const value = body[name];
    if (name === 'name') return isCreate && value === undefined;
    if (value === undefined) return false;
    if (name === 'category') return value !== null && !(String(value) in categories);
    return name === 'unit' && !(String(value) in decimals);
  });
}

const refusal = (status: number, code: string): Answer => ({ status, code });
const invalid = (names: readonly string[]): Answer => ({ status: 422, code: 'VALIDATION_FAILED', fields: names });

const shown = ({ seesCost }: ModelRequest, status: number, { data, revision }: ModelItem): Answer => {
  const { cost, ...others } = data;
  return { status, data: seesCost ? data : others, etag: `"${revision}"` };
};

export class CatalogModel {
  readonly #items = new Map<string, Map<number, ModelItem>>();
  readonly #keys = new Map<string, StoredKey>();

  /** The items of an account by their ids. */
  items(account: string): ReadonlyMap<number, ModelItem> {
    return this.#itemsOf(account);
  }

  /**
   * @param now milliseconds since 1970
   * @param newId the id that the item has if it is a new one
   */
  create(request: ModelRequest, key: string | undefined, now: number, newId: number): Answer {
    const { account, user, body } = request;
    const invalids = invalidFields(body, true);
    if (invalids.length > 0) return invalid(invalids);
    const keyName = JSON.stringify([account, user, key]);
    const stored = key === undefined ? undefined : this.#keys.get(keyName);
    const seconds = Math.floor(now / 1000);
    if (stored !== undefined && stored.ends > seconds) {
      if (!isDeepStrictEqual(stored.body, validated(body))) return refusal(422, 'IDEMPOTENCY_KEY_REUSED');
      return this.#created(request, stored.data, true);
    }
    const time = timestamp(now);
    const writes = { create_date: time, revision: 1, updated_at: time, updated_by: user };
    const data = answered(created(body), newId, writes);
    const taken = this.#taken(account, data);
    if (taken.length > 0) return { ...refusal(409, 'ITEM_ALREADY_EXISTS'), fields: taken };
    this.#itemsOf(account).set(newId, { data, revision: 1 });
    if (key !== undefined) this.#keys.set(keyName, { body: validated(body), id: newId, data, ends: seconds + day });
    return this.#created(request, data, false);
  }

  /** @param ifMatch the revisions that are allowed; undefined: any */
  update(request: ModelRequest, id: number, ifMatch: readonly number[] | undefined, now: number): Answer {
    const { account, user, body } = request;
    if (!fields.some((name) => body[name] !== undefined)) return refusal(400, 'NOTHING_TO_UPDATE');
    const invalids = invalidFields(body, false);
    if (invalids.length > 0) return invalid(invalids);
    const item = this.#itemsOf(account).get(id);
    if (item === undefined) return refusal(404, 'ITEM_NOT_FOUND');
    const state = updated(stateOf(item.data), body);
    if (hasTooMuch(state)) return invalid(['metadata']);
    const written = { revision: item.revision + 1, updated_at: timestamp(now), updated_by: user };
    const data = answered(state, id, { create_date: item.data['create_date'] ?? null, ...written });
    const taken = this.#taken(account, data);
    if (taken.length > 0) return { ...refusal(409, 'ITEM_ALREADY_EXISTS'), fields: taken };
    if (ifMatch?.includes(item.revision) === false)
      return { ...shown(request, 412, item), ...refusal(412, 'PRECONDITION_FAILED') };
    const next = { data, revision: item.revision + 1 };
    this.#itemsOf(account).set(id, next);
    return shown(request, 200, next);
  }

  #created(request: ModelRequest, data: JsonObject, replayed: boolean): Answer {
    const location = `/api/v1/api/v1/items/${data['id']}`;
    return { ...shown(request, 201, { data, revision: 1 }), location, replayed };
  }

  #itemsOf(account: string): Map<number, ModelItem> {
    const items = this.#items.get(account) ?? new Map();
    this.#items.set(account, items);
    return items;
  }

  /** The identifiers of an item that others have. */
  #taken(account: string, item: JsonObject): string[] {
    return ['sku', 'pn'].flatMap((name) =>
      [...this.#itemsOf(account).values()]
        .filter(({ data }) => data['id'] !== item['id'] && item[name] !== null && data[name] === item[name])
        .map(({ data }) => `${name} of ${data['id']}`),
    );
  }
}
