import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { functionServing, itemPath, methodsOf, type Operation, operations } from '../../../lib/http/operations.ts';
import { errorsOf } from '../../../lib/openapi/documentedOperations.ts';

describe('the operations', () => {
  it('have the paths of spec 4, including the doubled prefix', () => {
    expect(operations).toMatchObject({
      createItem: { method: 'POST', path: '/api/v1/api/v1/items' },
      updateItem: { method: 'PUT', path: '/api/v1/api/v1/items/{id}' },
      writeItems: { method: 'POST', path: '/api/v1/api/v1/items/batch' },
      getItem: { method: 'GET', path: '/api/v1/api/v1/items/{id}' },
      listItems: { method: 'GET', path: '/api/v1/api/v1/items' },
      listChanges: { method: 'GET', path: '/api/v1/api/v1/changes' },
      listItemChanges: { method: 'GET', path: '/api/v1/api/v1/items/{id}/changes' },
      getCatalog: { method: 'GET', path: '/api/v1/api/v1/catalog' },
    });
  });

  it('answer HEAD wherever they answer GET', () => {
    expect(methodsOf('listItems')).toEqual(['GET', 'HEAD']);
    expect(methodsOf('createItem')).toEqual(['POST']);
  });

  it('include the path of an item', () => {
    expect(itemPath(7)).toBe('/api/v1/api/v1/items/7');
    expect(itemPath(Number.MAX_SAFE_INTEGER)).toBe('/api/v1/api/v1/items/9007199254740991');
  });
});

/**
 * The codes of all errors that a function constructs, without the code that it cannot reach. One is constructed from the
 * argument of `pathId`.
 */
async function codesIn(name: string): Promise<ReadonlySet<string | undefined>> {
  const entryPoints = [fileURLToPath(new URL(`../../../functions/${name}.ts`, import.meta.url))];
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false } as const;
  const { outputFiles } = await build({ entryPoints, ...options });
  const constructed =
    outputFiles[0]?.text.matchAll(/(?:new CatalogError\((?!missing\))|pathId\()"?(\w+)|new (PreconditionFailed)\(/g) ??
    [];
  return new Set([...constructed].map(([, code]) => code ?? 'PRECONDITION_FAILED'));
}

/** The gateway alone returns these. It also returns `INVALID_REQUEST` for every operation. */
const ofGateway: readonly string[] = ['TOO_MANY_REQUESTS', 'GATEWAY_TIMEOUT', 'INVALID_REQUEST'];

describe('the errors that operations list are those that their function can throw', () => {
  const byFunction = Map.groupBy(Object.keys(operations) as Operation[], functionServing);
  it.each([...byFunction])('%s', async (name, served) => {
    const codes = await codesIn(name);
    // The store's port is for creates and updates, so the function that creates contains this error of an update.
    const thrown = [...codes].filter((code) => name !== 'createItem' || code !== 'ITEM_NOT_FOUND');
    const listed = served.flatMap(errorsOf);
    const ofRows = name === 'writeItems' ? (['createItem', 'updateItem'] as const).flatMap(errorsOf) : [];
    expect(new Set([...thrown, ...ofGateway])).toEqual(new Set([...listed, ...ofRows]));
  });
});
