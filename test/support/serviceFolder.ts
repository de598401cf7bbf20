import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalService } from '../../cli/localService.ts';

/** Tokens in a service file, none of which works. */
const sampleTokens = {
  editor: 'cat_editor',
  editorWithoutCost: 'cat_editor_without_cost',
  reader: 'cat_reader',
  readerWithoutCost: 'cat_reader_without_cost',
  admin: 'cat_admin',
  otherAccount: 'cat_other_account',
};

/** How other programs reach a service. Nothing answers at its address. */
export const sampleService = (changes: Partial<LocalService> = {}): LocalService => ({
  url: 'http://127.0.0.1:1',
  table: 'catalog',
  dynamodb: 'http://127.0.0.1:1',
  tokens: sampleTokens,
  ...changes,
});

/** Makes a folder, for its maker to remove, in which programs find this service. */
export function makeServiceFolder(service: Partial<LocalService>): string {
  // Without links on its way, as programs name the folder that they run in.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'catalog-test-'));
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local/service.json'), JSON.stringify(sampleService(service)));
  return folder;
}
