import { readFileSync } from 'node:fs';
import { type EnvironmentName, outputs, stackName } from '../../infra/environments.ts';
import { CommandError } from '../cli/commandError.ts';
import { stackOutput } from '../cli/stackOutput.ts';

/**
 * Finds the address of a deployed API.
 * @param file the stack's outputs, as written by `cdk deploy --outputs-file`; undefined means to ask AWS
 * @throws CommandError if it is not found
 */
export async function deployedUrl(environment: EnvironmentName, file: string | undefined): Promise<string> {
  if (file === undefined) return stackOutput(environment, outputs.apiUrl);
  const stack = stackName(environment);
  const url = readJson(file)?.[stack]?.[outputs.apiUrl];
  if (typeof url !== 'string') throw new CommandError(`The file ${file} has no output ${outputs.apiUrl} of ${stack}.`);
  return url;
}

function readJson(file: string): Record<string, Record<string, unknown>> | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CommandError(`The file ${file} cannot be read: ${(cause as Error).message}.`, 1, { cause });
  }
}
