import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fetchPastProxy } from '../../cli/fetchPastProxy.ts';
import { findProgram, isExecutable } from '../../cli/findProgram.ts';
import { CommandError } from '../../cli/print.ts';
import { variables } from '../../lib/runtime/environment.ts';

export interface Engine {
  /** Its address, for an SDK client's `endpoint`. */
  readonly endpoint: string;
  /** Whether this process started it. */
  readonly isEmbedded: boolean;
  /** Its SQLite database, if this process started it. */
  readonly file?: string;
  /** Resolves when the engine ends, for whatever reason. Never for an engine that this process did not start. */
  readonly ended: Promise<void>;
  /** Stops the engine immediately. Does nothing to an engine that this process did not start. */
  stop(): Promise<void>;
}

/** How long to wait until the engine listens, in milliseconds. */
const startTimeout = 10_000;
/** Another process may take the port before the engine does. Then another port is tried. */
const maxAttempts = 5;

/**
 * Makes the engine end with this process, even if this process is killed: a child of the shell waits until the pipe
 * from this process closes and then kills the engine, which has replaced the shell, and deletes a temporary folder, the
 * first argument.
 */
const endWithParent =
  'temporary=$1; shift; { read -r _; kill -9 $$; [ -z "$temporary" ] || /bin/rm -rf "$temporary"; } <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-';

/**
 * Starts the embedded DynamoDB engine, or uses the one named by `AWS_ENDPOINT_URL_DYNAMODB`.
 * @param data the data folder; if omitted, data is kept until the engine stops
 * @throws CommandError if there is no engine, none responds at that address, or it cannot use the folder
 */
export async function startEngine(data?: string): Promise<Engine> {
  const existing = process.env[variables.dynamodb] ?? '';
  if (existing !== '') return existingEngine(existing, data);
  const program = findEngineProgram();
  for (let attempt = 1; ; attempt += 1) {
    const place = await freeAddress();
    const temporary = data === undefined ? mkdtempSync(join(tmpdir(), 'catalog-engine-')) : '';
    const file = join(data ?? temporary, 'catalog.db');
    const child = spawnEngine(program, place, file, temporary);
    const failure = await untilListening(child);
    if (failure === undefined) return ownEngine(child, `http://${place.address}:${place.port}`, file);
    if (!failure.includes('already in use') || attempt === maxAttempts) {
      const folder = data === undefined ? '' : ` on the folder ${data}`;
      throw new CommandError(`The DynamoDB engine did not start${folder}: ${failure}`);
    }
  }
}

async function existingEngine(endpoint: string, data: string | undefined): Promise<Engine> {
  if (data !== undefined) {
    throw new CommandError(`A data folder needs the embedded engine, but ${variables.dynamodb} names another one.`);
  }
  try {
    await fetchPastProxy(endpoint);
  } catch (cause) {
    throw new CommandError(`No DynamoDB answers at ${endpoint}, the value of ${variables.dynamodb}.`, 1, { cause });
  }
  return { endpoint, isEmbedded: false, ended: new Promise(() => {}), stop: async () => {} };
}

/**
 * Finds a free port on an unguessable loopback address, because the engine responds to any web page that finds it.
 * Systems such as macOS have only one loopback address, which is used there.
 */
async function freeAddress(): Promise<AddressInfo> {
  const [a, b, c] = [randomInt(256), randomInt(256), randomInt(1, 255)];
  return listenOnce(`127.${a}.${b}.${c}`).catch(() => listenOnce('127.0.0.1'));
}

async function listenOnce(host: string): Promise<AddressInfo> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const place = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return place;
}

function spawnEngine(program: string, { address, port }: AddressInfo, file: string, temporary: string): ChildProcess {
  const options = ['--host', address, '--port', `${port}`, '--db-path', file];
  return spawn('/bin/sh', ['-c', endWithParent, 'sh', temporary, program, 'serve', ...options], {
    // The engine gets its own process group, so that Ctrl-C reaches only this process, which stops the engine last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
}

function ownEngine(child: ChildProcess, endpoint: string, file: string): Engine {
  const ended = (child.exitCode ?? child.signalCode) === null ? once(child, 'exit').then(() => {}) : Promise.resolve();
  return {
    endpoint,
    isEmbedded: true,
    file,
    ended,
    stop: () => {
      // SIGTERM would wait for idle connections. Killing is safe, because SQLite keeps everything that is committed.
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Waits until the engine reports that it is listening. If it ends instead, returns its output. */
function untilListening(child: ChildProcess): Promise<string | undefined> {
  const errors = child.stderr as Readable;
  const pipe = child.stdio[3] as Writable;
  // Nothing is ever written to the pipe, but it fails if the engine ends first.
  pipe.on('error', () => {});
  child.once('exit', () => pipe.destroy());
  return new Promise((resolve, reject) => {
    let written = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve(`it did not listen within ${startTimeout / 1000} s.`);
    }, startTimeout);
    errors.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      if (!written.includes(' listening on ')) return;
      clearTimeout(timer);
      errors.removeAllListeners('data').resume();
      resolve(undefined);
    });
    child.once('error', reject);
    // Unlike `exit`, `close` comes after the last output.
    child.once('close', () => {
      clearTimeout(timer);
      resolve(written.trim().replace(/^error: (Internal error: )?/, '') || 'it ended without a message.');
    });
  });
}

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
