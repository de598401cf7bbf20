import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Puts all temporary files of a run into one folder, and removes it with what the CDK and killed programs left in it. */
export default function setup() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'catalog-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
