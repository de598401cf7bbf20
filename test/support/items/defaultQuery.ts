import type { ItemQuery } from '../../../lib/catalog/listItems.ts';

/** What a list without parameters asks for. */
export const defaultQuery: ItemQuery = {
  active: true,
  category: undefined,
  type: undefined,
  search: '',
  identifier: undefined,
  ids: undefined,
  isDescending: false,
  limit: 50,
  after: undefined,
};
