import { createRequire } from 'node:module';
import { variables } from '../../../lib/runtime/environment.ts';
import { findProgram, isExecutable } from '../../cli/findProgram.ts';

/**
 * The program of the embedded DynamoDB engine: that of the npm package, else the one on the PATH.
 * @throws an error that names the ways to come by an engine
 */
export function findBinary(): string {
  const found = packaged() ?? findProgram('dynoxide');
  if (found !== undefined) return found;
  throw new Error(
    'No DynamoDB engine was found: install the optional npm package @dynoxide/linux-x64 (Linux on x64), put a dynoxide ' +
      `program on the PATH, or set ${variables.dynamodb} to the address of a DynamoDB that runs.`,
  );
}

function packaged(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
    return isExecutable(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
