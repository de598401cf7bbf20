import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { variables } from '../../../lib/runtime/environment.ts';
import { findBinary } from './findEngineProgram.ts';

/** A running DynamoDB. */
export interface Engine {
  /** Its address, for an SDK client's `endpoint`. */
  readonly endpoint: string;
  /** Settles when the engine has ended, whoever ended it; never, when it runs elsewhere. */
  readonly ended: Promise<void>;
  /** Ends the engine at once; one that runs elsewhere goes on. */
  stop(): Promise<void>;
}

/** How long the engine may take until it listens, in milliseconds. */
const startTimeout = 10_000;
/** How often another free port is tried when somebody took the first between finding and using it. */
const portTries = 5;

/**
 * Makes the engine end with this process, also when it is killed and can do nothing about it: the shell becomes the
 * engine, and a child of it waits until the pipe from this process closes.
 */
const endWithParent = '{ read -r _; kill -9 $$; } <&3 3<&- >/dev/null 2>&1 & exec "$@" 3<&-';

/**
 * Starts the embedded DynamoDB engine, or finds the one that `AWS_ENDPOINT_URL_DYNAMODB` names.
 * @param data the folder that keeps the data; left out, they are in memory
 * @throws an error with one sentence for a person: no engine, none at that address, or a folder it cannot use
 */
export async function startEngine(data?: string): Promise<Engine> {
  const elsewhere = process.env[variables.dynamodb] ?? '';
  if (elsewhere !== '') return engineElsewhere(elsewhere, data);
  const binary = findBinary();
  const storage = data === undefined ? [] : ['--db-path', join(data, 'catalog.db')];
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const child = spawn('/bin/sh', ['-c', endWithParent, 'sh', binary, 'serve', '--port', `${port}`, ...storage], {
      // In a group of its own: Ctrl-C is for this process, which ends the engine when it no longer needs it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    const failure = await untilListening(child);
    if (failure === undefined) return engineHere(child, `http://127.0.0.1:${port}`);
    if (!failure.includes('already in use') || tries === portTries) {
      const folder = data === undefined ? '' : ` on the folder ${data}`;
      throw new Error(`The DynamoDB engine did not start${folder}: ${failure}`);
    }
  }
}

async function engineElsewhere(endpoint: string, data: string | undefined): Promise<Engine> {
  if (data !== undefined) {
    throw new Error(`A data folder needs the embedded engine, but ${variables.dynamodb} names another one.`);
  }
  try {
    await fetch(endpoint);
  } catch {
    throw new Error(`No DynamoDB answers at ${endpoint}, which ${variables.dynamodb} names.`);
  }
  return { endpoint, ended: new Promise(() => {}), stop: async () => {} };
}

function engineHere(child: ChildProcess, endpoint: string): Engine {
  const ended = (child.exitCode ?? child.signalCode) === null ? once(child, 'exit').then(() => {}) : Promise.resolve();
  return {
    endpoint,
    ended,
    stop: () => {
      // SQLite keeps what is committed however the process ends, and a polite end would wait for idle connections.
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Waits until the engine says that it listens; gives its last words when it ends instead. */
function untilListening(child: ChildProcess): Promise<string | undefined> {
  const errors = child.stderr as Readable;
  const lifeline = child.stdio[3] as Writable;
  // Written to by nobody; it breaks when the engine ends first.
  lifeline.on('error', () => {});
  child.once('exit', () => lifeline.destroy());
  return new Promise((resolve, reject) => {
    let said = '';
    const tooLate = setTimeout(() => {
      child.kill('SIGKILL');
      resolve(`it did not listen within ${startTimeout / 1000} s.`);
    }, startTimeout);
    errors.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (!said.includes(' listening on ')) return;
      clearTimeout(tooLate);
      errors.removeAllListeners('data').resume();
      resolve(undefined);
    });
    child.once('error', reject);
    // Its last words may arrive after its end, but not after the pipe that they come through has closed.
    child.once('close', () => {
      clearTimeout(tooLate);
      resolve(said.trim().replace(/^error: (Internal error: )?/, '') || 'it ended without a word.');
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
