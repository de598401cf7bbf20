import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runToEnd } from './processes.ts';

const folder = new URL('peers/', import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

/** What the service is compared with, by name: the versions. */
export const peerVersions: Readonly<Record<string, string>> = read('package.json').dependencies;

const isInstalled = ([name, version]: readonly [string, string]): boolean => {
  const file = `node_modules/${name}/package.json`;
  return existsSync(new URL(file, folder)) && read(file).version === version;
};

/**
 * Fetches what the service is compared with, unless it is there. Nothing but the bench needs it, so it is no dependency.
 * @returns why it is not there; undefined when it is
 */
export async function installPeers(): Promise<string | undefined> {
  if (Object.entries(peerVersions).every(isInstalled)) return undefined;
  const options = [
    '--no-package-lock',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--fetch-retries=0',
  ];
  try {
    await runToEnd('npm', ['install', '--prefix', fileURLToPath(folder), ...options]);
    return undefined;
  } catch {
    return 'Left out, since npm could not fetch them: the usual stack, OneTable, ElectroDB and dynamodb-toolbox.';
  }
}
