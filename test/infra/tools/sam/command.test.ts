import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, inject, it, test } from 'vitest';
import { samArguments } from '../../../../infra/tools/sam/samProgram.ts';
import { root, startProgram, temporaryFolder } from '../../program.ts';
import { sampleTokens } from '../../projectFolder.ts';
import { startContainerEngine } from './startContainerEngine.ts';

interface Running {
  readonly dynamodb?: string;
  readonly docker?: string;
}

const usage = 'npm run sam -- createItem|updateItem|getItem|listItems|getCatalog|authorizer.';

/**
 * A machine with only these programs on its PATH, each a shell script, perhaps a running service, and perhaps Docker Desktop
 * at an address.
 */
function machine(programs: Record<string, string>, { dynamodb, docker = 'unix:///nowhere' }: Running = {}) {
  const cwd = temporaryFolder();
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  if (dynamodb !== undefined) {
    mkdirSync(join(cwd, '.local'));
    const service = { url: 'http://127.0.0.1:1', table: 'catalog', dynamodb, tokens: sampleTokens };
    writeFileSync(join(cwd, '.local/service.json'), JSON.stringify(service));
  }
  const runWithPath = async (PATH: string, args: string[]) => {
    const options = { cwd, env: { ...process.env, PATH, DOCKER_HOST: docker, AWS_PROFILE: '' } };
    const { output, ended } = startProgram(
      process.execPath,
      [join(root, 'infra/tools/sam/command.ts'), ...args],
      options,
    );
    return { code: await ended, ...output };
  };
  return {
    cwd,
    run: (...args: string[]) => runWithPath(bin, args),
    /** With this machine's programs too, which bundling needs. */
    runToTheEnd: (...args: string[]) => runWithPath(`${bin}${delimiter}${process.env['PATH']}`, args),
  };
}

const sentence = (code: number, text: RegExp) => ({
  code,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^${text.source}\n$`)),
});

const sam = { sam: 'exit 9' };

describe('npm run sam', () => {
  it('lists the functions', async () => {
    const { run } = machine({});
    expect(await run()).toEqual({ code: 2, stdout: '', stderr: `Name the function: ${usage}\n` });
    expect(await run('nope')).toEqual({ code: 2, stdout: '', stderr: `There is no function "nope": ${usage}\n` });
    expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--debug-port'), stderr: '' });
  });

  it('fails with the name of a missing program', async () => {
    expect(await machine({}).run('createItem')).toEqual(sentence(1, /Install the AWS SAM CLI first \(https:.*\)\./));
    expect(await machine(sam).run('createItem')).toEqual(
      sentence(1, /SAM .*, but no container engine is running: start Docker or Finch, .*\./),
    );
  });

  it('fails with one sentence if no service is running, even if a killed one has left its file behind', async () => {
    const { address: docker } = await startContainerEngine();
    const noService = sentence(1, /No service is running on this machine: start it with npm start\./);
    expect(await machine(sam, { docker }).run('createItem')).toEqual(noService);
    expect(await machine(sam, { docker, dynamodb: 'http://127.0.0.1:1' }).run('createItem')).toEqual(noService);
  });
});

test('writes the files for SAM and passes on its exit code', { timeout: 60_000 }, async () => {
  const { address: docker } = await startContainerEngine();
  const { cwd, runToTheEnd } = machine({ sam: 'echo "$@"; exit 7' }, { docker, dynamodb: inject('dynamodb') });
  const { code, stdout, stderr } = await runToTheEnd('authorizer', '--debug-port', '5858');
  expect(code, stderr).toBe(7);
  const folder = join(cwd, '.local/sam/authorizer');
  const file = (name: string) => join(folder, `${name}.json`);
  expect(stdout.trim().split(' ')).toEqual(
    samArguments('authorizer', { template: file('template'), event: file('event'), variables: file('variables') }, [
      '--debug-port',
      '5858',
    ]),
  );
  expect(stderr).toContain(`\n\n  env -u AWS_PROFILE sam ${stdout.trim()}\n\n`);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  expect(read(file('event')).headers.Authorization).toBe(`Bearer ${sampleTokens.editor}`);
  expect(statSync(file('event')).mode & 0o077).toBe(0);
  const variables = {
    CATALOG_TABLE: 'catalog',
    AWS_ENDPOINT_URL_DYNAMODB: `http://host.docker.internal:${new URL(inject('dynamodb')).port}`,
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  };
  expect(read(file('variables'))).toEqual({ authorizer: variables });
  // SAM only sets variables that the template declares.
  const { Properties, Metadata } = read(file('template')).Resources.authorizer;
  expect(Object.keys(Properties.Environment.Variables)).toEqual(expect.arrayContaining(Object.keys(variables)));
  expect(Properties.Architectures).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
  const built = join(folder, Metadata['aws:asset:path']);
  expect(existsSync(join(built, `${Properties.Handler.split('.')[0]}.js`))).toBe(true);
  const { sources } = read(join(built, 'index.js.map'));
  const missing = sources.filter((source: string) => !existsSync(resolve(built, source)));
  expect(missing).toEqual([]);
});
