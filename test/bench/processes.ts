import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Start, Turn, TurnResult } from './child/job.ts';

type Environment = Readonly<Record<string, string>>;

const running = new Set<ChildProcess>();

/** Ends all child processes at once. */
export const endProcesses = (): void => {
  for (const child of running) child.kill('SIGKILL');
};

function started(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/**
 * Starts a bundle in a process of its own that ends afterwards. What it logs is written and goes nowhere.
 * @param program the bundled child, and the file of its job
 * @param collects whether garbage is collected before memory is read; this makes the measured times useless
 * @throws an error when it fails; why is on standard error
 */
export async function startOnce(
  program: readonly [string, string],
  env: Environment,
  collects = false,
): Promise<Start> {
  const flags = collects ? ['--expose-gc'] : [];
  const child = started(
    spawn(process.execPath, [...flags, ...program], { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] }),
  );
  const [result, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')]);
  if (code !== 0) throw new Error(`A measured process ended with ${code}`);
  return JSON.parse(result);
}

/** Runs a program to its end. @throws an error with what it has written when it fails */
export async function runToEnd(program: string, args: readonly string[]): Promise<void> {
  const child = started(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }));
  const [written, [code]] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${written}`);
}

/** A process with one bundle, which runs turns of requests until it is ended. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;

  /** @param program the bundled child, and the file of its job */
  constructor([file, job]: readonly [string, string], env: Environment) {
    const options = { env, execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as const };
    this.#child = started(fork(file, [job], { ...options, stdio: [...options.stdio] }));
    this.#ready = this.#message();
    this.#ready.catch(() => undefined);
  }

  /** @throws an error with the child's stack when a request fails */
  async run(turn: Turn): Promise<TurnResult> {
    await this.#ready;
    if (!this.#child.connected) throw new Error('A measured process has ended');
    this.#child.send(turn);
    const { result, error } = (await this.#message()) as { result?: TurnResult; error?: string };
    if (result === undefined) throw new Error(`${turn.operation} failed: ${error}`);
    return result;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  #message(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`A measured process ended with ${code}`));
      this.#child.once('exit', onExit);
      this.#child.once('message', (message) => {
        this.#child.off('exit', onExit);
        resolve(message);
      });
    });
  }
}
