import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Tokens in a service file, none of which works. */
export const sampleTokens = {
  editor: 'cat_editor',
  editorWithoutCost: 'cat_editor_without_cost',
  reader: 'cat_reader',
  readerWithoutCost: 'cat_reader_without_cost',
  otherAccount: 'cat_other_account',
};

/** Arguments for Node that run a program of the project through such a folder. */
export const linkedProgram = (path: string): string[] => ['--preserve-symlinks', '--preserve-symlinks-main', path];

/**
 * Makes a copy of the project in which a service with this table runs.
 * @param service undefined: none runs
 * @returns the folder, for its maker to remove
 */
export function makeProject(service: { readonly table: string; readonly dynamodb: string } | undefined): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'catalog-test-'));
  for (const name of ['infra', 'lib', 'tools', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, '.local'));
  const file = { url: 'http://127.0.0.1:1', ...service, tokens: sampleTokens };
  if (service !== undefined) writeFileSync(join(folder, '.local/service.json'), JSON.stringify(file));
  return folder;
}
