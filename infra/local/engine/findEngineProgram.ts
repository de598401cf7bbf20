import { createRequire } from 'node:module';
import { variables } from '../../../lib/runtime/environment.ts';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram, isExecutable } from '../../cli/findProgram.ts';

/**
 * The program of the embedded DynamoDB engine: the npm package's, or else the one on the PATH.
 * @throws CommandError that names the ways to get an engine
 */
export function findEngineProgram(): string {
  const found = packagedProgram() ?? findProgram('dynoxide');
  if (found !== undefined) return found;
  throw new CommandError(
    'No DynamoDB engine was found: install the optional npm package @dynoxide/linux-x64 (Linux on x64), put a dynoxide ' +
      `program on the PATH, or set ${variables.dynamodb} to the address of a running DynamoDB.`,
  );
}

function packagedProgram(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
    return isExecutable(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
