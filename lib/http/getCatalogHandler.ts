import { type Caller, hasPermission } from '../access/caller.ts';
import type { CatalogReader } from '../catalog/catalogStore.ts';
import type { Account } from '../item/account.ts';
import { defaultsOf, fields } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { type OperationDependencies, operation, type ProxyHandler } from './operation.ts';
import { query } from './requestParts.ts';

/** `GET …/catalog`: 200 with the data needed to build an item form, never cached for callers who may change it. */
export const getCatalogHandler = (dependencies: OperationDependencies<CatalogReader>): ProxyHandler =>
  operation('getCatalog', dependencies)
    .use(query({}))
    .handler(async (_, { caller, store }) => {
      const account = await (hasPermission(caller, 'catalog:admin') ? store.currentAccount() : store.account());
      return { body: { data: presentCatalog(account, caller) } };
    });

/** The data needed to build an item form, and who the caller is, in response format. */
export function presentCatalog(account: Account, caller: Caller) {
  const categories = [...account.categories].toSorted(([one], [other]) => one - other);
  return {
    categories: categories.map(([id, { name, archived }]) => ({ id, name, archived })),
    units: [...account.units].map(([unit, decimals]) => ({ unit, decimals })),
    defaults: { product: defaultsOf('product', account), service: defaultsOf('service', account) },
    limits: presentedLimits,
    permissions: caller.permissions,
    account: caller.account,
    user: caller.user,
  };
}

const { metadata, search, page, rows, body } = limits;

/** The limits, keyed by field, by parameter, by `body` for the request body, or by `rows` for those of a batch. */
export const presentedLimits = {
  ...Object.fromEntries(Object.entries(fields).flatMap(([name, row]) => ('limits' in row ? [[name, row.limits]] : []))),
  metadata: {
    key_length: metadata.keyLength,
    levels: metadata.levels,
    string_length: metadata.stringLength,
    keys_per_request: metadata.keysPerRequest,
    keys_stored: metadata.keysStored,
    values_per_request: metadata.valuesPerRequest,
    number: metadata.number,
  },
  body: { bytes: body },
  rows,
  search,
  limit: page,
};
