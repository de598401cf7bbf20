import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runProgram, temporaryFolder } from '../support/programs/program.ts';
import { usesEmbeddedEngine } from '../support/setup/usesEmbeddedEngine.ts';
import { answering } from '../support/standIns/answering.ts';

// The settings of dev may be filled in.
vi.mock('../../infra/environments.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../infra/environments.ts')>();
  const settingsOf: typeof actual.settingsOf = (name, given) =>
    actual.settingsOf(name, given ?? { ...actual.settingsOf(name), identity: undefined });
  return { ...actual, settingsOf };
});

/** Starts the service, which loads the functions for its own table. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}, cwd = temporaryFolder()) {
  vi.resetModules();
  return runProgram('local/start.ts', [...args], { cwd, env: { PORT: '0', ...env } });
}

const provider = ['--issuer', 'https://login.example.com'];

describe('a failure to start is reported in one sentence:', () => {
  test('a port that is in use', async () => {
    const { port } = new URL(await answering(() => undefined));
    expect(await start([], { PORT: port })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} is in use: set PORT to another one, or to 0 for any free one.\n`,
    });
  });

  test.each<[string, string[], RegExp]>([
    ['an unknown option', ['--date', 'x'], /^Unknown option '--date' \(Did you mean --data\?\)$/],
    ['an issuer without an audience', provider, /^Options '--issuer' and '--audience' must be given together$/],
    [
      'an issuer over plain HTTP',
      ['--issuer', 'http://login.example.com', '--audience', 'catalog', '--permissions', 'roles'],
      /^Option '--issuer' must be an https address .*$/,
    ],
    ['an audience without a name', [...provider, '--audience', ''], /^Option '--audience' needs a name$/],
    [
      'an issuer without the claim with the permissions',
      [...provider, '--audience', 'catalog'],
      /^Option '--permissions' must be given, because .*$/,
    ],
    [
      'permissions without a name',
      [...provider, '--audience', 'catalog', '--permissions', ''],
      /^Option '--permissions' needs a name$/,
    ],
    ['an option without its value', ['--data'], /^Option '--data <folder>' .*$/],
    ['an empty folder name', ['--data', ''], /^Option '--data' .*$/],
  ])('%s, and the options are named', async (_, args, sentence) => {
    const { code, stdout, stderr } = await start(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/; --help shows the options\.\n$/);
    expect(stderr.split('; --help')[0]).toMatch(sentence);
  });

  test('an invalid port', async () => {
    const stderr = 'PORT must be a number from 0 to 65535, not "80a".\n';
    expect(await start([], { PORT: '80a' })).toEqual({ code: 2, stdout: '', stderr });
  });

  test.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
    [
      'an issuer that does not respond',
      ['--issuer', 'http://localhost:1', '--audience', 'catalog', '--permissions', 'roles'],
      {},
      /^The identity provider http:\/\/localhost:1 cannot be used: .*ECONNREFUSED.*\.\n$/,
    ],
    [
      'a folder that is a file',
      ['--data', import.meta.filename],
      {},
      /^The data folder .*\.ts cannot be used: EEXIST.*\n$/,
    ],
    [
      'a folder that cannot be created',
      ['--data', '/proc/data/catalog'],
      {},
      /^The data folder \/proc\/data.* used: .*\n$/,
    ],
  ])('%s', async (_, args, env, sentence) => {
    expect(await start(args, env)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) });
  });

  test('a file in place of the folder .local', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.local'), '');
    const stderr = expect.stringMatching(/^The file .*\/\.local\/service\.json cannot be written: EEXIST.*\.\n$/);
    expect(await start([], {}, folder)).toEqual({ code: 1, stdout: '', stderr });
  });
});

test.runIf(usesEmbeddedEngine)('data that the embedded engine cannot read prevents the start', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'catalog.db'));
  const stderr = expect.stringMatching(/^The DynamoDB engine did not start on the folder .*\n$/);
  expect(await start(['--data', folder])).toEqual({ code: 1, stdout: '', stderr });
});
