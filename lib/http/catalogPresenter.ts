import type { Caller } from '../access/caller.ts';
import type { CatalogReference } from '../catalog/getCatalog.ts';
import { fields } from '../item/fields.ts';
import { limits } from '../item/limits.ts';

/** The data needed to build an item form, and who the caller is, in response format. */
export function presentCatalog({ account, defaults }: CatalogReference, caller: Caller) {
  const categories = [...account.categories].toSorted(([one], [other]) => one - other);
  return {
    categories: categories.map(([id, { name, archived }]) => ({ id, name, archived })),
    units: [...account.units].map(([unit, decimals]) => ({ unit, decimals })),
    defaults,
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
