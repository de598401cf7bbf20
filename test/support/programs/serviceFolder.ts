import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalService } from '../../../cli/localService.ts';

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

/** An empty folder, without links on its way, as programs name the folder that they run in. It goes with those of all tests. */
export const temporaryFolder = (): string => mkdtempSync(join(realpathSync(tmpdir()), 'catalog-test-'));

/** A folder in which programs find this service. */
export function serviceFolder(service: Partial<LocalService>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local/service.json'), JSON.stringify(sampleService(service)));
  return folder;
}
