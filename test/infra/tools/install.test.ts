import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onMachine, root, startProgram, temporaryFolder } from '../program.ts';

const lock = {
  packages: {
    '': { name: 'sample' },
    'node_modules/a': { integrity: 'sha512-a' },
    'node_modules/elsewhere': { integrity: 'sha512-e', optional: true },
    'node_modules/unlisted': { version: '1.0.0', optional: true },
  },
};
const { '': _, 'node_modules/elsewhere': __, ...complete } = lock.packages;
const { 'node_modules/unlisted': ___, ...onlyRequired } = complete;

/** Runs the installer in a project with these installed packages, and an npm that records its arguments. */
async function install(installed: object | undefined, npmStatus = 0, node: string[] = []) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'infra/tools'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  copyFileSync(`${root}infra/tools/install.mjs`, join(folder, 'infra/tools/install.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  if (installed !== undefined) {
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$@" > ${folder}/ran\nexit ${npmStatus}\n`, { mode: 0o755 });
  const program = startProgram(process.execPath, [...node, 'infra/tools/install.mjs'], {
    cwd: folder,
    env: { PATH: `${folder}:/bin` },
  });
  const status = await program.ended;
  const ran = existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trim() : undefined;
  return { status, ran, ...program.output };
}

test.each<[string, object]>([
  ['the dependencies are installed', complete],
  ['those of this machine are installed', onlyRequired],
])('does nothing and prints nothing when %s', async (_, installed) => {
  expect(await install(installed)).toEqual({ status: 0, ran: undefined, stdout: '', stderr: '' });
});

test.each<[string, object | undefined]>([
  ['nothing is installed', undefined],
  ['a package is missing', {}],
  ['a package is another version', { 'node_modules/a': { integrity: 'sha512-b' } }],
  ['a package without an integrity is another version', { ...complete, 'node_modules/unlisted': { version: '0.9.0' } }],
  ['a package is no longer wanted', { ...complete, 'node_modules/old': { integrity: 'sha512-o' } }],
  ['an optional package is another version', { ...complete, 'node_modules/elsewhere': { integrity: 'sha512-x' } }],
])('runs npm ci when %s', async (_, installed) => {
  expect(await install(installed)).toMatchObject({ status: 0, ran: 'ci', stderr: 'Installing the dependencies…\n' });
});

test('fails when npm fails', async () => {
  expect(await install(undefined, 7)).toMatchObject({
    status: 1,
    stderr: 'Installing the dependencies…\nThe dependencies could not be installed: npm ci failed.\n',
  });
});

describe('Node', () => {
  test.each([
    ['linux', 'x64', '20.0.0'],
    ['linux', 'arm64', '20.0.0'],
    ['linux', 'riscv64', '22.18.0'],
    ['darwin', 'arm64', '22.18.0'],
    ['darwin', 'arm64', '24.0.0'],
  ])('on %s %s is accepted as %s', async (...on) => {
    expect(await install(complete, 0, [onMachine(...on)])).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    ['linux', 'x64', '18.20.8', 'Node 20 or newer'],
    ['linux', 'riscv64', '20.19.0', 'Node 22.18 or newer on linux (riscv64)'],
    ['darwin', 'arm64', '20.19.0', 'Node 22.18 or newer on darwin (arm64)'],
    ['darwin', 'arm64', '22.17.1', 'Node 22.18 or newer on darwin (arm64)'],
  ])('on %s %s is rejected as %s', async (platform, arch, version, needed) => {
    expect(await install(undefined, 0, [onMachine(platform, arch, version)])).toEqual({
      status: 1,
      ran: undefined,
      stdout: '',
      stderr: `The catalog service needs ${needed}, but this is Node ${version}.\n`,
    });
  });
});
