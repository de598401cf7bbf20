import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished, vi } from 'vitest';

export { serviceFolder, temporaryFolder } from './serviceFolder.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

const resolveEngine = (body: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('@dynoxide/')) ${body}
      return next(specifier, context);
    },
  });
`)}`;

/** An argument for Node that hides the engine's npm package. */
export const withoutEnginePackage = resolveEngine("throw new Error('not installed');");

/** An argument for Node that makes a file the only one in the engine's npm packages. */
export const withEnginePackage = (specifier: string, file: string): string =>
  resolveEngine(`{
    if (specifier !== ${JSON.stringify(specifier)}) throw new Error('not installed');
    return { url: ${JSON.stringify(pathToFileURL(file).href)}, shortCircuit: true };
  }`);

/** An argument for Node that hides the identity provider in the settings of `dev`, which may be filled in. */
export const withoutIdentity = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith('/infra/environments.ts')) return loaded;
      return { ...loaded, source: loaded.source + '\\ndelete environments.dev.identity;' };
    },
  });
`)}`;

/** An argument for Node that makes it report another machine, and another version if one is given. */
export const onMachine = (platform: string, arch: string, node?: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
  Object.defineProperties(process, ${JSON.stringify({
    platform: { value: platform },
    arch: { value: arch },
    ...(node !== undefined && { versions: { value: { node } } }),
  })});
`)}`;

interface Program {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** Waits until the program has written a text to its standard output. */
  said(text: string): Promise<void>;
  /** Resolves to the exit code, or to the signal that ended it. */
  ended: Promise<number | string>;
}

/** Starts a program, and kills it after the test if it still runs. */
export function startProgram(
  command: string,
  args: string[],
  { input = '', ...options }: { cwd: string; env?: NodeJS.ProcessEnv; input?: string | undefined },
): Program {
  const child = spawn(command, args, { ...options, stdio: [input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  child.stdin?.end(input);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const output = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  collect('stdout');
  collect('stderr');
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return {
    child,
    output,
    ended,
    said: async (text) => {
      const hasEnded = ended.then(() => true);
      while (!output.stdout.includes(text)) {
        const more = once(child.stdout as NonNullable<typeof child.stdout>, 'data').then(() => false);
        if (await Promise.race([more, hasEnded])) throw new Error(`It ended: ${output.stderr}`);
      }
    },
  };
}

let runs = 0;

/** What a program has printed, and its exit code. */
interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Runs a program of the project in this process, in a tenth of the time that one of its own would take.
 * @param path for example `admin/admin.ts`
 * @param cwd by default, the project's folder
 * @param env changes to the environment; undefined removes a variable
 */
export async function runProgram(
  path: string,
  args: readonly string[],
  { cwd = root, env = {} }: Surroundings = {},
): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  const { argv, exitCode, env: own } = process;
  const folder = process.cwd();
  const write = (name: 'stdout' | 'stderr') => (text: unknown) => {
    output[name] += text;
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write('stdout')),
    vi.spyOn(process.stderr, 'write').mockImplementation(write('stderr')),
    vi.spyOn(console, 'log').mockImplementation((text) => void write('stdout')(`${text}\n`)),
    vi.spyOn(console, 'error').mockImplementation((text) => void write('stderr')(`${text}\n`)),
  ];
  process.argv = [process.execPath, root + path, ...args];
  process.env = { ...own, ...env };
  for (const [name, value] of Object.entries(env)) if (value === undefined) delete process.env[name];
  process.exitCode = undefined;
  process.chdir(cwd);
  try {
    runs += 1;
    await import(`${root}${path}?run=${runs}`);
    return { code: process.exitCode ?? 0, ...output };
  } finally {
    Object.assign(process, { argv, exitCode, env: own });
    process.chdir(folder);
    for (const spy of spies) spy.mockRestore();
  }
}

export const runAdmin = (args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> =>
  runProgram('admin/admin.ts', args, surroundings);

/** Runs one of the operators' commands. @returns what it has printed, by line */
export async function runAdminByLine(args: readonly string[], surroundings?: Surroundings) {
  const { code, stdout, stderr } = await runAdmin(args, surroundings);
  const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
  return { code, out: linesOf(stdout), err: linesOf(stderr) };
}

/** Waits until nothing answers at an address any more. The test's timeout limits it. */
export async function untilSilent(url: string): Promise<void> {
  for (;;) {
    try {
      await fetch(url);
    } catch {
      return;
    }
  }
}
