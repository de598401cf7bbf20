import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

interface Invocation {
  /** What the handler returned. */
  readonly result?: { readonly statusCode?: number };
  /** The message of the error that it threw. */
  readonly error?: string;
  /** What was still under way when it had answered: timers, requests, files. */
  readonly left: readonly string[];
}

/**
 * Runs a bundle as Lambda does, for the duration of a test: in a process that is frozen as soon as it has answered, until
 * the next event.
 * @param bundle its file
 * @returns invokes the function; `clock` is how far its clock is ahead, in milliseconds
 */
export async function startLambda(bundle: string, env: Readonly<Record<string, string>>) {
  const script = fileURLToPath(new URL('lambdaProcess.ts', import.meta.url));
  // Several processes of a test load the same bundle.
  const { NODE_COMPILE_CACHE = '' } = process.env;
  const child = fork(script, [bundle], {
    env: { ...env, NODE_COMPILE_CACHE },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${bundle} has ended`);
  });
  ended.catch(() => undefined);
  const message = async () => (await Promise.race([once(child, 'message'), ended]))[0];
  await message();
  child.kill('SIGSTOP');
  return async (event: object, clock = 0): Promise<Invocation> => {
    child.send({ event, clock });
    child.kill('SIGCONT');
    const invocation = await message();
    child.kill('SIGSTOP');
    return invocation;
  };
}
