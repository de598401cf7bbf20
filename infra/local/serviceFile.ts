import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunningCatalog } from './startService.ts';

/**
 * Tells other programs where the service runs: `.local/service.json`, for its owner's eyes only, as it holds tokens. npm
 * starts programs in the project's folder.
 * @returns what removes the file again, unless it has become another run's
 */
export function writeServiceFile({ url, table, dynamodb, tokens }: RunningCatalog): { remove(): void } {
  const folder = resolve('.local');
  const path = `${folder}/service.json`;
  const text = `${JSON.stringify({ url, table, dynamodb, tokens }, undefined, 2)}\n`;
  mkdirSync(folder, { recursive: true });
  // Whoever waits for the file finds it complete.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
  return {
    remove: () => {
      try {
        if (readFileSync(path, 'utf8') === text) rmSync(path);
      } catch {
        // Somebody has removed it already.
      }
    },
  };
}
