import { chmodSync, copyFileSync, existsSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, inject, test, vi } from 'vitest';
import { findEngineProgram, startEngine } from '../../../local/engine/startEngine.ts';
import {
  onMachine,
  root,
  startProgram,
  temporaryFolder,
  untilSilent,
  withEnginePackage,
  withoutEnginePackage,
} from '../../support/programs/program.ts';
import { usesEmbeddedEngine } from '../../support/setup/usesEmbeddedEngine.ts';

/** Runs a script with the engine's modules in a separate Node process. */
const runScript = (script: string, { args = [], path = '' }: { args?: string[]; path?: string } = {}) =>
  startProgram(
    process.execPath,
    [
      ...args,
      '--input-type=module',
      '--eval',
      `
      import { findEngineProgram, startEngine } from ${JSON.stringify(`${root}local/engine/startEngine.ts`)};
      ${script}
    `,
    ],
    { cwd: root, env: { ...process.env, PATH: path } },
  );

describe.runIf(usesEmbeddedEngine)('the embedded engine', () => {
  test('responds once it has started, and is gone once it has stopped', async () => {
    const engine = await startEngine();
    expect((await fetch(engine.endpoint)).status).toBe(200);
    await engine.stop();
    await expect(fetch(engine.endpoint)).rejects.toThrow();
    await engine.ended;
    await engine.stop();
  });

  test.runIf(process.platform === 'linux')('listens on an address that no web page can guess', async () => {
    const [first, second] = [await startEngine(), await startEngine()];
    const { hostname, port } = new URL(first.endpoint);
    expect(hostname).toMatch(/^127\./);
    expect(hostname).not.toBe(new URL(second.endpoint).hostname);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    await Promise.all([first.stop(), second.stop()]);
  });

  test('ends with the program that started it, even if the program is killed, and leaves no data', async () => {
    const program = runScript('const { endpoint, file } = await startEngine(); console.log(endpoint, file);');
    await program.said('\n');
    const [endpoint = '', file = ''] = program.output.stdout.trim().split(' ');
    expect((await fetch(endpoint)).status).toBe(200);
    program.child.kill('SIGKILL');
    await untilSilent(endpoint);
    await vi.waitUntil(() => !existsSync(dirname(file)), { timeout: 60_000 });
  });

  test('uses another port if the first is already in use', async () => {
    const folder = temporaryFolder();
    copyFileSync(findEngineProgram(), join(folder, 'real'));
    const script = `#!/bin/sh
      if [ ! -e ${folder}/tried ]; then : > ${folder}/tried; echo 'error: port 1 is already in use' >&2; exit 1; fi
      exec ${folder}/real "$@"`;
    writeFileSync(join(folder, 'dynoxide'), script, { mode: 0o755 });
    const program = runScript('console.log((await fetch((await startEngine()).endpoint)).status);', {
      args: [withoutEnginePackage],
      path: folder,
    });
    await program.said('200');
  });
});

describe('an engine named by AWS_ENDPOINT_URL_DYNAMODB', () => {
  test('is used and not stopped', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamodb'));
    const engine = await startEngine();
    expect(engine.endpoint).toBe(inject('dynamodb'));
    await engine.stop();
    await fetch(engine.endpoint);
  });

  test('is named in the error if it does not respond', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    await expect(startEngine()).rejects.toThrow(
      'No DynamoDB answers at http://127.0.0.1:1, the value of AWS_ENDPOINT_URL_DYNAMODB.',
    );
  });

  test('cannot keep its data in a folder', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('dynamodb'));
    await expect(startEngine('somewhere')).rejects.toThrow(/data folder needs the embedded engine/);
  });
});

describe.runIf(usesEmbeddedEngine)("the embedded engine's program", () => {
  test("is the npm package's", () => {
    const platform = `${process.platform}-${process.arch}`;
    expect(findEngineProgram()).toBe(realpathSync(`${root}node_modules/@dynoxide/${platform}/dynoxide`));
  });

  test('is that of the package for the machine', async () => {
    const file = join(temporaryFolder(), 'dynoxide');
    writeFileSync(file, '', { mode: 0o755 });
    const program = runScript('console.log(findEngineProgram());', {
      args: [onMachine('darwin', 'arm64'), withEnginePackage('@dynoxide/darwin-arm64/dynoxide', file)],
    });
    await program.said(file);
  });

  test('is found on the PATH if the package is missing', async () => {
    const [empty, folder] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(empty, 'dynoxide'), 'not a program');
    chmodSync(join(empty, 'dynoxide'), 0o644);
    writeFileSync(join(folder, 'dynoxide'), '', { mode: 0o755 });
    const program = runScript('console.log(findEngineProgram());', {
      args: [withoutEnginePackage],
      path: `${empty}:${folder}`,
    });
    await program.said(join(folder, 'dynoxide'));
  });

  test('causes an error that lists three ways to get one, if there is none', async () => {
    const program = runScript('try { findEngineProgram() } catch (error) { console.log(error.message) }', {
      args: [withoutEnginePackage],
    });
    await program.ended;
    expect(program.output.stdout).toMatch(
      /@dynoxide\/\w+-\w+ .* dynoxide program on the PATH.* AWS_ENDPOINT_URL_DYNAMODB/,
    );
  });
});
