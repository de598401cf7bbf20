import { describe, expect, it } from 'vitest';
import { itemPath, routes } from '../../../lib/http/routes.ts';

describe('the routes', () => {
  it('are those of spec 4, including the doubled prefix, and the read operations', () => {
    expect(routes).toEqual({
      createItem: { method: 'POST', path: '/api/v1/api/v1/items' },
      updateItem: { method: 'PUT', path: '/api/v1/api/v1/items/{id}' },
      getItem: { method: 'GET', path: '/api/v1/api/v1/items/{id}' },
      listItems: { method: 'GET', path: '/api/v1/api/v1/items' },
      getCatalog: { method: 'GET', path: '/api/v1/api/v1/catalog' },
    });
  });

  it('include the path of an item', () => {
    expect(itemPath(7)).toBe('/api/v1/api/v1/items/7');
    expect(itemPath(Number.MAX_SAFE_INTEGER)).toBe('/api/v1/api/v1/items/9007199254740991');
  });
});
