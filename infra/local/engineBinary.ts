import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { variables } from '../../lib/runtime/environment.ts';

/**
 * The program of the embedded DynamoDB engine: that of the npm package, else the one on the PATH.
 * @throws an error that names the ways to come by an engine
 */
export function findBinary(): string {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'dynoxide'));
  const found = [packaged(), ...onPath].find((file) => file !== undefined && isExecutable(file));
  if (found !== undefined) return found;
  throw new Error(
    'No DynamoDB engine was found: install the optional npm package @dynoxide/linux-x64 (Linux on x64), put a dynoxide ' +
      `program on the PATH, or set ${variables.dynamodb} to the address of a DynamoDB that runs.`,
  );
}

function packaged(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    return undefined;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
