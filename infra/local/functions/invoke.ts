import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { FunctionDefinition } from '../template/deployment.ts';
import { withTimeout } from './withTimeout.ts';

/** The exported function of a module, as Lambda calls it. */
export type Handler = (event: unknown, context: LocalContext) => unknown;

/** Lambda's context, without the callbacks of old. */
export type LocalContext = Omit<Context, 'done' | 'fail' | 'succeed'>;

/** Runs a function once; gives what Lambda would give to API Gateway, as JSON makes it. */
export type Invoke = (definition: FunctionDefinition, event: unknown) => Promise<unknown>;

/** A function threw, or took longer than it may. Its message is what API Gateway learns of it. */
export class FunctionFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FunctionFailure';
  }
}

/**
 * Runs functions in this process.
 * @param handlers the loaded functions, by id
 */
export const invokeIn =
  (handlers: ReadonlyMap<string, Handler>): Invoke =>
  async (definition, event) => {
    const handler = handlers.get(definition.id);
    if (handler === undefined) throw new Error(`The function ${definition.id} is not loaded.`);
    const late = () => new FunctionFailure(`Task timed out after ${(definition.timeoutMs / 1000).toFixed(2)} seconds`);
    return withTimeout(run(handler, definition, event), definition.timeoutMs, late);
  };

async function run(handler: Handler, definition: FunctionDefinition, event: unknown): Promise<unknown> {
  try {
    const result = await handler(event, lambdaContext(definition));
    return JSON.parse(JSON.stringify(result ?? null));
  } catch (error) {
    throw new FunctionFailure(error instanceof Error ? error.message : String(error), error);
  }
}

function lambdaContext({ id, arn, timeoutMs, memoryMb }: FunctionDefinition): LocalContext {
  const deadline = performance.now() + timeoutMs;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName: id,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    invokedFunctionArn: arn,
    logGroupName: `/aws/lambda/${id}`,
    logStreamName: 'local',
    memoryLimitInMB: String(memoryMb),
  };
}
