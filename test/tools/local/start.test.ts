import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../../lib/http/operations.ts';
import { findEngineProgram } from '../../../tools/local/engine/findEngineProgram.ts';
import type { RunningService } from '../../../tools/local/startService.ts';
import { startIssuer } from '../../support/testIssuer.ts';
import { usesEmbeddedEngine } from '../../support/usesEmbeddedEngine.ts';
import { root, startProgram, temporaryFolder, untilSilent, withoutEnginePackage } from '../program.ts';

interface Run {
  readonly cwd?: string;
  readonly args?: string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly node?: string[];
}

/** Runs the program in a separate folder, with its own service file. */
const start = ({ cwd = temporaryFolder(), args = [], env = {}, node = [] }: Run = {}) =>
  startProgram(process.execPath, [...node, `${root}tools/local/start.ts`, ...args], {
    cwd,
    env: { ...process.env, PORT: '0', ...env },
  });

const { path } = operations.createItem;

/** An argument for Node that makes it take its output for a terminal. */
const terminal = '--import=data:text/javascript,process.stdout.isTTY = true';

const ready = 'Press Ctrl-C to stop the service.';

const serviceFile = (cwd: string): RunningService => JSON.parse(readFileSync(join(cwd, '.local/service.json'), 'utf8'));

const send = ({ url, tokens }: RunningService, method: string, path: string, body: object) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${tokens.editor}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the service', () => {
  test.runIf(usesEmbeddedEngine)(
    'tells people and programs how to reach it, keeps its data, and leaves nothing else behind',
    async () => {
      const [cwd, data] = [temporaryFolder(), join(temporaryFolder(), 'data')];
      const first = start({ cwd, args: ['--data', data] });
      await first.said(ready);
      const service = serviceFile(cwd);
      expect(Object.keys(service)).toEqual(['url', 'table', 'dynamodb', 'tokens']);
      const names = ['editor', 'editorWithoutCost', 'reader', 'readerWithoutCost', 'otherAccount'];
      expect(Object.keys(service.tokens)).toEqual(names);
      expect(statSync(join(cwd, '.local/service.json')).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(join(cwd, '.local/sam.json'), 'utf8'))).toEqual({
        Parameters: {
          CATALOG_TABLE: 'catalog',
          AWS_ENDPOINT_URL_DYNAMODB: service.dynamodb.replace('127.0.0.1', 'host.docker.internal'),
        },
      });
      for (const told of [service.url + operations.createItem.path, ...Object.values(service.tokens)]) {
        expect(first.output.stdout).toContain(told);
      }
      expect((await send(service, 'POST', operations.createItem.path, { name: 'Chair' })).status).toBe(201);
      const page = { origin: 'https://evil.example' };
      expect((await fetch(service.dynamodb, { method: 'OPTIONS', headers: page })).status).toBe(403);

      const second = start({ args: ['--data', data] });
      expect(await second.ended).toBe(1);
      expect(second.output.stderr).toBe(`The data folder ${data} is used by another run of the service.\n`);

      first.child.kill('SIGINT');
      expect(await first.ended).toBe(0);
      expect(first.output.stderr).toBe('');
      expect(readdirSync(join(cwd, '.local'))).toEqual([]);
      await expect(fetch(service.dynamodb)).rejects.toThrow();

      const third = start({ cwd, args: ['--data', data] });
      await third.said(ready);
      expect(serviceFile(cwd).tokens).toEqual(service.tokens);
      const update = await send(serviceFile(cwd), 'PUT', `${operations.createItem.path}/1`, { value: 5 });
      expect([update.status, await update.json()]).toEqual([
        200,
        { data: expect.objectContaining({ name: 'Chair', value: 5 }) },
      ]);
    },
  );

  test.runIf(usesEmbeddedEngine)('stops on SIGTERM, and leaves no process running even if it is killed', async () => {
    const cwds = [temporaryFolder(), temporaryFolder()];
    const [ended, killed] = cwds.map((cwd) => start({ cwd }));
    await Promise.all([ended?.said(ready), killed?.said(ready)]);
    const [first, second] = cwds.map(serviceFile);
    writeFileSync(join(cwds[0] ?? '', '.local/service.json'), 'of another run');
    // Ctrl-C sends two signals: the terminal signals the whole process group, and npm passes on its own.
    ended?.child.kill('SIGTERM');
    ended?.child.kill('SIGTERM');
    expect(await ended?.ended).toBe(0);
    expect(readFileSync(join(cwds[0] ?? '', '.local/service.json'), 'utf8')).toBe('of another run');
    await expect(fetch(first?.dynamodb ?? '')).rejects.toThrow();
    killed?.child.kill('SIGKILL');
    await untilSilent(second?.dynamodb ?? '');
  });

  test.each<[string, string[], string[], RegExp]>([
    ['readable on a terminal', [terminal], [], /^\d\d:\d\d:\d\d PUT {5}\S+\/items\/404 404 ITEM_NOT_FOUND \d+ ms$/],
    ['JSON on a terminal with --json', [terminal], ['--json'], /^\{"timestamp":.*"operation":"updateItem".*\}$/],
    ['JSON elsewhere', [], [], /^\{"timestamp":.*"operation":"updateItem".*\}$/],
  ])('logs requests %s', async (_, node, args, line) => {
    const cwd = temporaryFolder();
    const program = start({ cwd, node, args, env: { AWS_LAMBDA_LOG_LEVEL: 'INFO' } });
    await program.said(ready);
    const introduced = program.output.stdout.length;
    expect((await send(serviceFile(cwd), 'PUT', `${path}/404`, { value: 5 })).status).toBe(404);
    program.child.kill('SIGTERM');
    await program.ended;
    const logged = program.output.stdout.slice(introduced).trim().split('\n');
    expect(logged.at(-1)).toMatch(line);
    expect(logged).toHaveLength(logged.at(-1)?.startsWith('{') ? 2 : 1);
  });

  test('runs the bundles with --bundled, and accepts access tokens of an identity provider besides the demo tokens', async () => {
    const issuer = await startIssuer();
    onTestFinished(() => issuer.close());
    const cwd = temporaryFolder();
    const program = start({ cwd, args: ['--bundled', '--issuer', issuer.url, '--audience', 'catalog'] });
    await program.said(ready);
    expect(program.output.stdout).toContain(`Access tokens of ${issuer.url} for catalog are also accepted.`);
    const service = serviceFile(cwd);
    const editor = issuer.token({ account: 'demo-1', scope: 'openid catalog:edit' });
    for (const token of [editor, service.tokens.editor]) {
      const caller = { ...service, tokens: { ...service.tokens, editor: token } };
      expect((await send(caller, 'POST', path, { name: 'Chair' })).status).toBe(201);
    }
  });

  test.runIf(usesEmbeddedEngine)('stops when its embedded engine does', async () => {
    const cwd = temporaryFolder();
    const folder = temporaryFolder();
    // The script writes down its process id before it becomes the engine.
    const script = `#!/bin/sh\necho $$ > ${folder}/pid\nexec ${findEngineProgram()} "$@"\n`;
    writeFileSync(join(folder, 'dynoxide'), script, { mode: 0o755 });
    const program = start({ cwd, node: [withoutEnginePackage], env: { PATH: `${folder}:${process.env['PATH']}` } });
    await program.said(ready);
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toBe('The DynamoDB engine has stopped, so the service is stopping too.\n');
    expect(existsSync(join(cwd, '.local/service.json'))).toBe(false);
  });
});

describe('a failure to start is reported in one sentence:', () => {
  test('a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
    });
    await once(server, 'listening');
    const port = String((server.address() as AddressInfo).port);
    const { ended, output } = start({ env: { PORT: port } });
    expect(await ended).toBe(1);
    expect(output).toEqual({
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
      () => ({ args: ['--issuer', 'http://login.example.com', '--audience', 'catalog'] }),
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
      'an issuer that does not respond',
      () => ({ args: ['--issuer', 'http://localhost:1', '--audience', 'catalog'] }),
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
      'no engine',
      () => ({ node: [withoutEnginePackage], env: { PATH: '', AWS_ENDPOINT_URL_DYNAMODB: '' } }),
      1,
      /^No DynamoDB engine was found: .*\.$/,
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
    const { ended, output } = start(runIn(folder));
    expect([await ended, output.stdout]).toEqual([status, '']);
    expect(output.stderr.replace(/\n$/, '')).toMatch(sentence);
  });
});

test.runIf(usesEmbeddedEngine)('data that the embedded engine cannot read prevents the start', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'catalog.db'));
  const { ended, output } = start({ args: ['--data', folder] });
  expect([await ended, output.stdout]).toEqual([1, '']);
  expect(output.stderr).toMatch(/^The DynamoDB engine did not start on the folder .*\n$/);
});

test('--help shows the options', async () => {
  const { ended, output } = start({ args: ['--help'] });
  expect(await ended).toBe(0);
  expect(output.stdout).toMatch(/--data <folder>.*--bundled.*--issuer <url>.*--audience <name>.*--json/s);
});
