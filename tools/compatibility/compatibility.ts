import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram } from '../../cli/findProgram.ts';
import { print, printError } from '../../cli/print.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { runProgram } from '../../cli/runProgram.ts';
import { removedComponents } from './removedComponents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const oasdiff = 'github.com/oasdiff/oasdiff@v1.19.0';

/**
 * Raises the severity of changes that oasdiff only mentions but callers rely on: an operation's id and errors, and a
 * request's fields.
 */
const severities = join(root, 'tools/compatibility/breakingChanges.txt');

/** Corrections of the document that change nothing for callers, with their reasons. */
const accepted = join(root, 'tools/compatibility/acceptedChanges.md');

/** @returns undefined when the commit has no document yet */
function documentAt(commit: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`);
  } catch (cause) {
    throw new CommandError(`There is no commit ${commit}.`, 2, { cause });
  }
  const isThere = git('ls-tree', '--name-only', commit, 'openapi.json') !== '';
  return isThere ? git('show', `${commit}:openapi.json`) : undefined;
}

interface Document {
  readonly components: { readonly responses: Record<string, { readonly content: Record<string, { schema: object }> }> };
}

/**
 * Wraps the schema of a single error in `anyOf`, so that adding a second error to a status does not count as a type
 * change.
 */
function withErrorUnions(text: string): string {
  const document = JSON.parse(text) as Document;
  for (const { content } of Object.values(document.components.responses))
    for (const media of Object.values(content)) media.schema = { anyOf: [media.schema] };
  return JSON.stringify(document);
}

async function compare(commit: string): Promise<number> {
  const document = documentAt(commit);
  if (document === undefined) {
    print(`${commit} has no openapi.json, so nothing can break.`);
    return 0;
  }
  if (findProgram('go') === undefined) throw new CommandError('Go is not on the PATH.');
  const next = readFileSync(join(root, 'openapi.json'), 'utf8');
  const acceptedLines = readFileSync(accepted, 'utf8').split('\n');
  const removals = removedComponents(JSON.parse(document), JSON.parse(next))
    .map((name) => `The component ${name} was removed.`)
    .filter((removal) => !acceptedLines.includes(`- ${removal}`));
  for (const removal of removals) printError(removal);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-compatibility-'));
  try {
    const [base, revision] = [join(folder, 'base.json'), join(folder, 'openapi.json')];
    writeFileSync(base, withErrorUnions(document));
    writeFileSync(revision, withErrorUnions(next));
    const ignored = ['--err-ignore', accepted, '--warn-ignore', accepted];
    const options = ['--fail-on', 'WARN', '--severity-levels', severities, ...ignored];
    const status = await runProgram('go', ['run', oasdiff, 'breaking', base, revision, ...options], process.env);
    return removals.length > 0 ? 1 : status;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = createProgram(
  'npm run compatibility --',
  'Compares openapi.json with that of another commit, and reports changes that break callers. Needs Go.',
);
program.argument('[commit]', 'the other commit', 'main').action(async (commit) => {
  process.exitCode = await compare(commit);
});
await runCommand(program);
