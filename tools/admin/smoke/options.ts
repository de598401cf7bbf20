import { type EnvironmentName, environmentNames } from '../../../infra/environments.ts';
import { parseEnvironment, readOptions, usageError } from '../../cli/arguments.ts';

export const tokenVariable = 'CATALOG_TOKEN';

const names = environmentNames.join('|');

export const help = `Checks from outside that an environment responds as expected.

  npm run smoke                                    the service on this machine, with its editor's token
  npm run smoke -- ${names} [options]    a deployed environment

  --outputs FILE   read the address from the file written by deploy --outputs-file, instead of asking AWS
  --help           show this help

Without a token, it checks a preflight request, a request without a token, one with an unknown token, an unknown
route, and an unsupported method.
With an editor's token in the variable ${tokenVariable}, it also creates, reads, updates and archives an item, which
remains in the token's account.

Exit code: 0 if all checks passed, 1 if not, 2 for wrong arguments.`;

export interface SmokeOptions {
  /** Undefined means the service on this machine. */
  readonly environment: EnvironmentName | undefined;
  /** A file with the stack's outputs. */
  readonly outputs: string | undefined;
}

/** @throws CommandError if an argument is wrong */
export function readArguments(args: readonly string[]): SmokeOptions | 'help' {
  const [first, ...rest] = args;
  const named = first !== undefined && !first.startsWith('-');
  const options = { outputs: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  const { help: helpWanted, outputs } = readOptions(named ? rest : args, options);
  if (helpWanted) return 'help';
  if (!named && outputs !== undefined) throw usageError("Option '--outputs' needs the environment");
  return { environment: named ? parseEnvironment(first) : undefined, outputs };
}
