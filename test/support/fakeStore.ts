import type { CatalogReader, ListedItem } from '../../lib/catalog/catalogReader.ts';

import type { Account } from '../../lib/item/account.ts';
import type { Item } from '../../lib/item/item.ts';
import { applyChange, missingItem } from '../../lib/item/item.ts';
import { listedName } from '../../lib/item/listedName.ts';
import type { CatalogStore } from './dynamoCatalogStore.ts';
import { sampleAccount } from './sampleAccount.ts';

/** When the store's items are created, in milliseconds since 1970. */
export const creationTime = Date.UTC(2026, 10, 20, 23, 10, 0, 789);

type Store = CatalogStore & CatalogReader;

const inOrder = ({ position: one }: ListedItem, { position: other }: ListedItem): number =>
  Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) || one.id - other.id;

/**
 * A store of one account for tests of handlers. Identifiers may be taken twice, and only the last key is known. Its list
 * filters nothing, like one that lags behind its items may seem to.
 * @param account its configuration as a container has cached it
 * @param current its current configuration
 */
export function fakeStore(existing: readonly Item[] = [], account = sampleAccount, current: Account = account) {
  const items = new Map(existing.map((item) => [item.id, item]));
  let created: { readonly key: string; readonly item: Item } | undefined;
  const methods: Store = {
    account: async () => account,
    currentAccount: async () => current,
    prepareInsert: async () => undefined,
    insertItem: async (fields, key) => {
      if (key !== undefined && created?.key === key.key) return { item: created.item, replayed: true };
      const written = { createdAt: creationTime, updatedAt: creationTime, updatedBy: 'ann' };
      const item = { ...fields, id: items.size + 1, revision: 1, ...written };
      items.set(item.id, item);
      if (key !== undefined) created = { key: key.key, item };
      return { item, replayed: false };
    },
    findCreated: async ({ key }) => (created?.key === key ? created.item : undefined),
    modifyItem: async ({ id, change, revisions }) => {
      const stored = items.get(id);
      if (stored === undefined) throw missingItem(change, current);
      if (revisions?.includes(stored.revision) === false) return { item: stored, isOutdated: true, replayed: false };
      const item = applyChange(stored, change, current);
      items.set(id, item);
      return { item, isOutdated: false, replayed: false };
    },
    findItem: async (id) => items.get(id),
    findItems: async (ids) => new Map([...items].filter(([id]) => ids.includes(id))),
    findByIdentifier: async ({ name, text }) => [...items.values()].find((item) => item[name] === text),
    listItems: async ({ limit, after }) => {
      const listed = [...items.values()].map((item) => ({
        item,
        position: { name: listedName(item.name), id: item.id },
      }));
      const rest = listed
        .toSorted(inOrder)
        .filter((one) => after === undefined || inOrder(one, { ...one, position: after }) > 0);
      const page = rest.slice(0, limit);
      return { items: page, next: rest.length > limit ? page.at(-1)?.position : undefined };
    },
  };
  const called: string[] = [];
  const store = new Proxy(methods, {
    get:
      (target, name: keyof Store) =>
      (...args: never[]) => {
        called.push(name);
        return Reflect.apply(target[name], target, args);
      },
  });
  return { store, openStore: () => store, items, /** The methods that were called, in order. */ called };
}
