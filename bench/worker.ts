import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Cost, Start, Turn } from './turn.ts';

/** A bundle, and the environment variables with which it runs. */
export interface Program {
  readonly bundle: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What all processes need. */
export interface Setting {
  /** The bundled {@link file://./child.ts}. */
  readonly child: string;
  /** The file with the answers of a stub; without it, the program uses the network. */
  readonly answers?: string;
}

/** A process with one bundle. What the bundle logs is written and goes nowhere. */
export class Worker {
  readonly start: Start;
  readonly #child: ChildProcess;
  readonly #results: AsyncIterator<string>;

  private constructor(start: Start, child: ChildProcess, results: AsyncIterator<string>) {
    this.start = start;
    this.#child = child;
    this.#results = results;
  }

  static async open({ child: program, answers }: Setting, { bundle, env }: Program): Promise<Worker> {
    const args = ['--expose-gc', program, bundle, ...(answers === undefined ? [] : [answers])];
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit', 'pipe'] });
    const results = createInterface({ input: child.stdio[3] as Readable })[Symbol.asyncIterator]();
    return new Worker(await next(results), child, results);
  }

  /** @throws an error if a request fails; its reason is on standard error */
  run(turn: Turn): Promise<Cost> {
    this.#child.stdin?.write(`${JSON.stringify(turn)}\n`);
    return next(this.#results);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

async function next<Result>(results: AsyncIterator<string>): Promise<Result> {
  const { value, done } = await results.next();
  if (done === true) throw new Error('A measured process has ended');
  return JSON.parse(value);
}
