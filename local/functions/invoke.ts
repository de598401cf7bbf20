import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { variables } from '../../lib/runtime/environment.ts';
import type { FunctionDefinition } from '../template/readFunctions.ts';

/** The most bytes that Lambda takes as an event and returns as a result, both measured as JSON: 6 MB and a little. */
export const payloadLimit = 6_291_556;

/** A function exported by a module, with Lambda's signature. */
export type LocalHandler = (event: unknown, context: LocalContext) => unknown;

/** The part of Lambda's context that our functions read. */
export type LocalContext = Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>;

/** Invokes a function once. Returns what API Gateway would receive from Lambda, after a round trip through JSON. */
export type Invoke = (definition: FunctionDefinition, event: unknown) => Promise<unknown>;

/** The function threw or timed out. API Gateway sees only the message. */
export class FunctionFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FunctionFailure';
  }
}

/** Invokes functions in this process. */
export const invokeInProcess =
  (handlers: ReadonlyMap<string, LocalHandler>): Invoke =>
  async (definition, event) => {
    const handler = handlers.get(definition.id);
    if (handler === undefined) throw new Error(`The function ${definition.id} is not loaded.`);
    const seconds = (definition.timeoutMs / 1000).toFixed(2);
    const onTimeout = () => new FunctionFailure(`Task timed out after ${seconds} seconds`);
    return withTimeout(run(handler, definition, event), definition.timeoutMs, onTimeout);
  };

/** Waits for a promise for a limited time. The underlying work continues after the timeout. */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function run(handler: LocalHandler, definition: FunctionDefinition, event: unknown): Promise<unknown> {
  try {
    const result = await handler(event, lambdaContext(definition));
    const payload = JSON.stringify(result ?? null);
    if (Buffer.byteLength(payload) > payloadLimit)
      throw new Error(`Response payload size exceeded maximum allowed payload size (${payloadLimit} bytes).`);
    return JSON.parse(payload);
  } catch (error) {
    throw new FunctionFailure(error instanceof Error ? error.message : String(error), error);
  }
}

function lambdaContext({ timeoutMs }: FunctionDefinition): LocalContext {
  const deadline = performance.now() + timeoutMs;
  return {
    awsRequestId: randomUUID(),
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
}

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
