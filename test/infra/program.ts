import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** An argument for Node that hides the engine's npm package. */
export const withoutEnginePackage = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.startsWith('@dynoxide/')) throw new Error('not installed');
      return next(specifier, context);
    },
  });
`)}`;

/** An empty folder for the duration of a test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-test-'));
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
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Program {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Tokens in a service file, none of which works. */
export const sampleTokens = {
  editor: 'cat_editor',
  editorWithoutCost: 'cat_editor_without_cost',
  reader: 'cat_reader',
  otherAccount: 'cat_other_account',
};
