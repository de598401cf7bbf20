import { variables } from '../../../lib/runtime/environment.ts';
import type { FunctionDefinition } from '../template/deployment.ts';
import type { Handler } from './invoke.ts';

/** What the functions of this process were loaded with: modules are loaded once, and keep what they have read. */
let loadedWith: string | undefined;

/**
 * Loads functions into this process, with the variables that they have on AWS.
 * @param functions the functions of the template
 * @param endpoint the address of the local DynamoDB
 * @param moduleOf where a function's module is
 * @returns the handlers by the functions' ids
 * @throws an error when this process has loaded functions with other variables, or a module has no such function
 */
export async function loadFunctions(
  functions: readonly FunctionDefinition[],
  endpoint: string,
  moduleOf: (definition: FunctionDefinition) => string,
): Promise<Map<string, Handler>> {
  const environment = { ...sharedEnvironment(functions), [variables.dynamodb]: endpoint };
  loadedWith ??= JSON.stringify(environment);
  if (loadedWith !== JSON.stringify(environment)) {
    throw new Error('This process has loaded the functions for another table already, and cannot load them again.');
  }
  Object.assign(process.env, environment);
  const loading = functions.map(async (definition): Promise<[string, Handler]> => {
    const module = await import(moduleOf(definition));
    const handler = module[definition.entry] ?? module.default?.[definition.entry];
    if (typeof handler !== 'function') throw new Error(`${definition.id} exports no function ${definition.entry}.`);
    return [definition.id, handler];
  });
  return new Map(await Promise.all(loading));
}

/** The functions share this process, so they must agree on the value of each variable. */
function sharedEnvironment(functions: readonly FunctionDefinition[]): Record<string, string> {
  const shared: Record<string, string> = {};
  for (const { id, environment } of functions) {
    for (const [name, value] of Object.entries(environment)) {
      shared[name] ??= value;
      if (shared[name] !== value)
        throw new Error(`${id} has another ${name} than the other functions of the template.`);
    }
  }
  return shared;
}
