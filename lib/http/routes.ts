/** The path prefix of all operations (spec 4). */
const prefix = '/api/v1/api/v1';
const itemsPath = `${prefix}/items`;

/**
 * Every route of the API. Used by the stack, by the local gateway (through the stack's template), by the handlers and
 * by the tests.
 */
export const routes = {
  createItem: { method: 'POST', path: itemsPath },
  updateItem: { method: 'PUT', path: `${itemsPath}/{id}` },
  getItem: { method: 'GET', path: `${itemsPath}/{id}` },
  listItems: { method: 'GET', path: itemsPath },
  getCatalog: { method: 'GET', path: `${prefix}/catalog` },
} as const;

export type Operation = keyof typeof routes;

/**
 * The path of an item, for the `Location` header.
 * @param id the item's id
 */
export const itemPath = (id: number): string => routes.updateItem.path.replace('{id}', String(id));
