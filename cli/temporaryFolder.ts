import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder that is removed when this process ends, also by Ctrl-C. @param name a part of the folder's name */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `catalog-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return folder;
}
