import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadFunctions } from '../../../local/functions/invoke.ts';
import type { FunctionDefinition } from '../../../local/template/readFunctions.ts';
import { temporaryFolder } from '../../support/programs/program.ts';

const definition = (id: string, environment: Record<string, string> = { TABLE: 'a' }): FunctionDefinition => ({
  id,
  arn: `arn:${id}`,
  asset: 'asset',
  timeoutMs: 1_000,
  environment,
  tableStatements: [],
});

/** A module whose function returns the environment as it was when the module was loaded. */
function moduleFile(name = 'index.mjs', text = 'const seen = { ...process.env }; export const handler = () => seen;') {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return () => pathToFileURL(path).href;
}

describe('loadFunctions', () => {
  test('sets the template’s variables, the local DynamoDB and a function’s access key while it loads it', async () => {
    const definitions = [definition('one', { TABLE: 'a', AWS_ENDPOINT_URL_DYNAMODB: '' })];
    const handlers = await loadFunctions(definitions, 'http://local.test', moduleFile());
    const seen = handlers.get('one')?.({}, {} as never);
    const own = { TABLE: 'a', AWS_ENDPOINT_URL_DYNAMODB: 'http://local.test', AWS_ACCESS_KEY_ID: 'one' };
    expect(seen).toMatchObject(own);
    expect(process.env['AWS_ACCESS_KEY_ID']).toBe('local');
  });

  test('loads CommonJS bundles', async () => {
    const built = moduleFile('index.cjs', 'exports[["handler"][0]] = () => "built";');
    const handlers = await loadFunctions([definition('one')], 'http://local.test', built);
    expect(handlers.get('one')?.({}, {} as never)).toBe('built');
  });

  test('fails with the name of a function whose module does not export its handler', async () => {
    const empty = moduleFile('index.mjs', 'export const other = 1;');
    await expect(loadFunctions([definition('one')], 'http://local.test', empty)).rejects.toThrow(
      'one exports no function handler.',
    );
  });

  test('fails with the name of a function that has a different value of a shared variable', async () => {
    const definitions = [definition('one'), definition('two', { TABLE: 'b' })];
    await expect(loadFunctions(definitions, 'http://local.test', moduleFile())).rejects.toThrow(
      'The value of TABLE in two differs from that in other functions.',
    );
  });
});
