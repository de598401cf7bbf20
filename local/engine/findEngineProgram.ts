import { createRequire } from 'node:module';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram, isExecutable } from '../../cli/findProgram.ts';
import { variables } from '../../lib/runtime/environment.ts';

/**
 * Finds the program of the embedded DynamoDB engine: from the npm package for this platform, or else on the PATH.
 * @throws CommandError that lists the ways to get an engine
 */
export function findEngineProgram(): string {
  const found = packagedProgram() ?? findProgram('dynoxide');
  if (found !== undefined) return found;
  throw new CommandError(
    `No DynamoDB engine was found: install the optional npm package ${packageName()} (there is one for Linux and macOS, ` +
      `on x64 and arm64), put a dynoxide program on the PATH, or set ${variables.dynamodb} to the address of a running ` +
      'DynamoDB.',
  );
}

const packageName = (): string => `@dynoxide/${process.platform}-${process.arch}`;

function packagedProgram(): string | undefined {
  try {
    const file = createRequire(import.meta.url).resolve(`${packageName()}/dynoxide`);
    return isExecutable(file) ? file : undefined;
  } catch {
    return undefined;
  }
}
