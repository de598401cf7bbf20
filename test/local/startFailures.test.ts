import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { root, runProgram, startProgram, temporaryFolder, withoutEnginePackage } from '../support/programs/program.ts';
import { usesEmbeddedEngine } from '../support/setup/usesEmbeddedEngine.ts';
import { answering } from '../support/standIns/answering.ts';

interface Run {
  readonly cwd?: string;
  readonly args?: string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the service, which loads the functions for its own table. */
function start({ cwd = temporaryFolder(), args = [], env = {} }: Run) {
  vi.resetModules();
  return runProgram('local/start.ts', args, { cwd, env: { PORT: '0', ...env } });
}

describe('a failure to start is reported in one sentence:', () => {
  test('a port that is in use', async () => {
    const { port } = new URL(await answering(() => undefined));
    expect(await start({ env: { PORT: port } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} is in use: set PORT to another one, or to 0 for any free one.\n`,
    });
  });

  test.each<[string, (folder: string) => Run, number, RegExp]>([
    [
      'an unknown option',
      () => ({ args: ['--date', 'x'] }),
      2,
      /^Unknown option '--date' \(Did you mean --data\?\); --help shows the options\.$/,
    ],
    [
      'an issuer without an audience',
      () => ({ args: ['--issuer', 'https://login.example.com'] }),
      2,
      /^Options '--issuer' and '--audience' must be given together; --help shows the options\.$/,
    ],
    [
      'an issuer over plain HTTP',
      () => ({ args: ['--issuer', 'http://login.example.com', '--audience', 'catalog', '--permissions', 'roles'] }),
      2,
      /^Option '--issuer' must be an https address .*; --help shows the options\.$/,
    ],
    [
      'an audience without a name',
      () => ({ args: ['--issuer', 'https://login.example.com', '--audience', ''] }),
      2,
      /^Option '--audience' needs a name; --help shows the options\.$/,
    ],
    [
      'an issuer without the claim with the permissions',
      () => ({ args: ['--issuer', 'https://login.example.com', '--audience', 'catalog'] }),
      2,
      /^Option '--permissions' must be given, because .*; --help shows the options\.$/,
    ],
    [
      'permissions without a name',
      () => ({ args: ['--issuer', 'https://login.example.com', '--audience', 'catalog', '--permissions', ''] }),
      2,
      /^Option '--permissions' needs a name; --help shows the options\.$/,
    ],
    [
      'an issuer that does not respond',
      () => ({ args: ['--issuer', 'http://localhost:1', '--audience', 'catalog', '--permissions', 'roles'] }),
      1,
      /^The identity provider http:\/\/localhost:1 cannot be used: .*ECONNREFUSED.*\.$/,
    ],
    [
      'an option without its value',
      () => ({ args: ['--data'] }),
      2,
      /^Option '--data <folder>' .*; --help shows the options\.$/,
    ],
    ['an empty folder name', () => ({ args: ['--data', ''] }), 2, /^Option '--data' .*; --help shows the options\.$/],
    ['an invalid port', () => ({ env: { PORT: '80a' } }), 2, /^PORT must be a number from 0 to 65535, not "80a"\.$/],
    [
      'a folder that is a file',
      (folder) => ({ args: ['--data', `${folder}/file`] }),
      1,
      /^The data folder .*file cannot be used: EEXIST.*$/,
    ],
    [
      'a folder that cannot be created',
      () => ({ args: ['--data', '/proc/data/catalog'] }),
      1,
      /^The data folder \/proc\/data\/catalog cannot be used: .*$/,
    ],
    [
      'a file in place of the folder .local',
      (folder) => {
        writeFileSync(join(folder, '.local'), '');
        return { cwd: folder };
      },
      1,
      /^The file .*\/\.local\/service\.json cannot be written: EEXIST.*\.$/,
    ],
    [
      'an engine that does not respond',
      () => ({ env: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' } }),
      1,
      /^No DynamoDB answers at .*\.$/,
    ],
  ])('%s', async (_, runIn, status, sentence) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const { code, stdout, stderr } = await start(runIn(folder));
    expect([code, stdout]).toEqual([status, '']);
    expect(stderr.replace(/\n$/, '')).toMatch(sentence);
  });

  test('no engine', async () => {
    const program = startProgram(process.execPath, [withoutEnginePackage, `${root}local/start.ts`], {
      cwd: temporaryFolder(),
      env: { PORT: '0', PATH: '', AWS_ENDPOINT_URL_DYNAMODB: '' },
    });
    expect(await program.ended).toBe(1);
    expect(program.output).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^No DynamoDB engine was found: .*\.\n$/),
    });
  });
});

test.runIf(usesEmbeddedEngine)('data that the embedded engine cannot read prevents the start', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'catalog.db'));
  const { code, stdout, stderr } = await start({ args: ['--data', folder] });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^The DynamoDB engine did not start on the folder .*\n$/);
});
