import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { functionServing, type Operation, operations } from '../../../lib/http/operations.ts';
import { errorsOf } from '../../../lib/openapi/documentedOperations.ts';

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
