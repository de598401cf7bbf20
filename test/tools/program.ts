import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { linkedProgram } from './projectFolder.ts';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

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

/** An argument for Node that makes it report another machine, and another version if one is given. */
export const onMachine = (platform: string, arch: string, node?: string) =>
  `--import=data:text/javascript,${encodeURIComponent(`
  Object.defineProperties(process, ${JSON.stringify({
    platform: { value: platform },
    arch: { value: arch },
    ...(node !== undefined && { versions: { value: { node } } }),
  })});
`)}`;

/** An empty folder for the duration of a test. */
export function temporaryFolder(): string {
  // Without links on its way, as programs name the folder that they run in.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'catalog-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

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
  return {
    child,
    output,
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
    said: async (text) => {
      while (!output.stdout.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended: ${output.stderr}`);
        await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
      }
    },
  };
}

/**
 * Runs the operators' program as npm does, until it ends.
 * @param cwd the project's folder, or one that `makeProject` made
 * @returns its exit code and its lines of output
 */
export async function runAdmin(cwd: string, args: readonly string[], env = process.env) {
  const program = linkedProgram('tools/admin/admin.ts');
  const { ended, output } = startProgram(process.execPath, [...program, ...args], { cwd, env });
  const code = await ended;
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
  return { code, out: linesOf(output.stdout), err: linesOf(output.stderr) };
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
