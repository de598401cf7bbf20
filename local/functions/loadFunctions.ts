import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { variables } from '../../lib/runtime/environment.ts';
import type { FunctionDefinition } from '../template/readFunctions.ts';
import type { LocalHandler } from './invoke.ts';

/**
 * Loads functions into this process, once, with the environment variables that they have in Lambda. The access key of each
 * is its id, which identifies its role in requests to DynamoDB.
 * @throws an error if a module does not export its function
 */
export async function loadFunctions(
  functions: readonly FunctionDefinition[],
  endpoint: string,
  moduleOf: (definition: FunctionDefinition) => string,
): Promise<Map<string, LocalHandler>> {
  const environment = { ...sharedEnvironment(functions), [variables.dynamodb]: endpoint };
  setLocalCredentials();
  Object.assign(process.env, environment);
  const own = process.env[variables.accessKeyId];
  const handlers = new Map<string, LocalHandler>();
  for (const definition of functions) {
    process.env[variables.accessKeyId] = definition.id;
    const { default: bundle, handler = bundle?.handler } = await import(moduleOf(definition));
    if (typeof handler !== 'function') throw new Error(`${definition.id} exports no function handler.`);
    handlers.set(definition.id, handler);
  }
  process.env[variables.accessKeyId] = own;
  return handlers;
}

/** The functions share this process, so they must agree on the value of each variable. */
function sharedEnvironment(functions: readonly FunctionDefinition[]): Record<string, string> {
  const shared: Record<string, string> = {};
  for (const { id, environment } of functions) {
    for (const [name, value] of Object.entries(environment)) {
      shared[name] ??= value;
      if (shared[name] !== value)
        throw new Error(`The value of ${name} in ${id} differs from that in other functions.`);
    }
  }
  return shared;
}
