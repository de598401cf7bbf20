import { isDeepStrictEqual } from 'node:util';
import type { IdempotencyKey } from '../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import type { Account } from '../../lib/item/account.ts';
import { alreadyExists, CatalogError } from '../../lib/item/errors.ts';
import type { Item } from '../../lib/item/item.ts';
import { applyChange, missingItem } from '../../lib/item/item.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { CatalogStore } from './dynamoCatalogStore.ts';

/** When the catalog's items are created, in milliseconds since 1970. */
export const creationTime = Date.UTC(2026, 10, 20, 23, 10, 0, 789);

/** @throws CatalogError if other items have identifiers of this one */
function refuseTaken(items: ReadonlyMap<number, Item>, item: Item): void {
  const others = [...items.values()].filter(({ id }) => id !== item.id);
  const taken = (['sku', 'pn'] as const).flatMap((field) => {
    const owner = others.find((other) => item[field] !== null && other[field] === item[field]);
    return owner === undefined ? [] : [{ field, item: owner.id }];
  });
  if (taken.length > 0) throw alreadyExists(taken);
}

/**
 * An in-memory catalog of one account that keeps the promises of `Catalog`.
 * @param account its configuration as a container has cached it
 * @param current its current configuration
 */
export function memoryCatalog(account: Account, current: Account = account) {
  const items = new Map<number, Item>();
  const created = new Map<string, { readonly sent: JsonObject; readonly item: Item }>();
  const asked: (keyof CatalogStore)[] = [];
  const under = ({ user }: RequestContext, { key }: IdempotencyKey) => JSON.stringify([user, key]);
  const catalog: CatalogStore = {
    account: async () => account,
    currentAccount: async () => current,
    prepareInsert: async () => undefined,
    insertItem: async (call, fields, key) => {
      const earlier = key && created.get(under(call, key));
      if (key && earlier && !isDeepStrictEqual(earlier.sent, key.sent))
        throw new CatalogError('IDEMPOTENCY_KEY_REUSED');
      if (earlier) return { item: earlier.item, replayed: true };
      const item = { ...fields, id: items.size + 1, revision: 1, createdAt: creationTime };
      refuseTaken(items, item);
      items.set(item.id, item);
      if (key) created.set(under(call, key), { sent: key.sent, item });
      return { item, replayed: false };
    },
    findCreated: async (call, key) => {
      const earlier = created.get(under(call, key));
      return isDeepStrictEqual(earlier?.sent, key.sent) ? earlier?.item : undefined;
    },
    modifyItem: async (_context, { id, change, revisions }) => {
      const stored = items.get(id);
      if (stored === undefined) throw missingItem(change, current);
      const next = applyChange(stored, change, current);
      refuseTaken(items, next);
      if (revisions?.includes(stored.revision) === false) return { item: stored, isOutdated: true, replayed: false };
      items.set(id, next);
      return { item: next, isOutdated: false, replayed: false };
    },
  };
  return { catalog: noting(catalog, asked), items, /** The methods that were called, in order. */ asked };
}

/** The catalog. Records the names of the called methods. */
const noting = (catalog: CatalogStore, asked: (keyof CatalogStore)[]): CatalogStore =>
  new Proxy(catalog, {
    get: (target, name: keyof CatalogStore) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        asked.push(name);
        return Reflect.apply(method, target, args);
      };
    },
  });
