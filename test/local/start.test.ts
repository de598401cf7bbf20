import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { operations } from '../../lib/http/operations.ts';
import { findEngineProgram } from '../../local/engine/startEngine.ts';
import type { RunningService } from '../../local/startService.ts';
import { startIssuer } from '../support/api/testIssuer.ts';
import {
  root,
  runProgram,
  startProgram,
  temporaryFolder,
  untilSilent,
  withoutEnginePackage,
  withoutIdentity,
} from '../support/programs/program.ts';
import { usesEmbeddedEngine } from '../support/setup/usesEmbeddedEngine.ts';

interface Run {
  readonly cwd?: string;
  readonly args?: string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly node?: string[];
}

/** Starts the program in a separate folder, with its own service file. */
const start = ({ cwd = temporaryFolder(), args = [], env = {}, node = [] }: Run = {}) =>
  startProgram(process.execPath, [...node, `${root}local/start.ts`, ...args], {
    cwd,
    env: { ...process.env, PORT: '0', ...env },
  });

const { path } = operations.createItem;

/** An argument for Node that makes it take its output for a terminal. */
const terminal = '--import=data:text/javascript,process.stdout.isTTY = true';

const ready = 'Press Ctrl-C to stop the service.';

const serviceFile = (cwd: string): RunningService => JSON.parse(readFileSync(join(cwd, '.local/service.json'), 'utf8'));

const savedEvent = (cwd: string, name: string): APIGatewayProxyEvent =>
  JSON.parse(readFileSync(join(cwd, `.local/events/${name}.json`), 'utf8'));

const send = ({ url, tokens }: RunningService, method: string, path: string, body: object) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${tokens.editor}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('the service', () => {
  test.runIf(usesEmbeddedEngine)(
    'says how to reach it, logs JSON, saves events, keeps its data, and leaves no process, even if killed',
    async () => {
      const [cwd, data] = [temporaryFolder(), join(temporaryFolder(), 'data')];
      const first = start({ cwd, args: ['--data', data], env: { AWS_LAMBDA_LOG_LEVEL: 'INFO' } });
      await first.said(ready);
      const service = serviceFile(cwd);
      expect(Object.keys(service)).toEqual(['url', 'table', 'dynamodb', 'tokens']);
      const names = ['editor', 'editorWithoutCost', 'reader', 'readerWithoutCost', 'admin', 'otherAccount'];
      expect(Object.keys(service.tokens)).toEqual(names);
      expect(statSync(join(cwd, '.local/service.json')).mode & 0o777).toBe(0o600);
      expect(statSync(data).mode & 0o777).toBe(0o700);
      expect(JSON.parse(readFileSync(join(cwd, '.local/sam.json'), 'utf8'))).toEqual({
        Parameters: {
          CATALOG_TABLE: 'catalog',
          AWS_ENDPOINT_URL_DYNAMODB: service.dynamodb.replace('127.0.0.1', 'host.docker.internal'),
        },
      });
      for (const shown of [service.url + path, ...Object.values(service.tokens)])
        expect(first.output.stdout).toContain(shown);
      expect((await send(service, 'POST', path, { name: 'Chair' })).status).toBe(201);
      const [authorizer, create] = [savedEvent(cwd, 'authorizer'), savedEvent(cwd, 'createItem')];
      expect(authorizer.headers['authorization']).toBe(`Bearer ${service.tokens.editor}`);
      expect(Buffer.from(create.body ?? '', 'base64').toString()).toBe('{"name":"Chair"}');
      expect(create.requestContext.authorizer).toMatchObject({ account: 'demo-1', user: 'editor' });
      expect(['heartbeat', 'verifyTable'].map((name) => savedEvent(cwd, name))).toEqual([{}, {}]);
      const page = { origin: 'https://evil.example' };
      expect((await fetch(service.dynamodb, { method: 'OPTIONS', headers: page })).status).toBe(403);

      expect(await runProgram('local/start.ts', ['--data', data], { env: { PORT: '0' } })).toEqual({
        code: 1,
        stdout: '',
        stderr: `The data folder ${data} is used by another run of the service.\n`,
      });

      first.child.kill('SIGINT');
      expect(await first.ended).toBe(0);
      expect(first.output.stdout).toMatch(/^\{"timestamp":.*"operation":"createItem".*\}$/m);
      expect(first.output.stderr).toBe('');
      expect(readdirSync(join(cwd, '.local'))).toEqual([]);
      await expect(fetch(service.dynamodb)).rejects.toThrow();

      const second = start({
        cwd,
        args: ['--data', data, '--json'],
        node: [terminal],
        env: { AWS_LAMBDA_LOG_LEVEL: 'INFO' },
      });
      await second.said(ready);
      expect(serviceFile(cwd).tokens).toEqual(service.tokens);
      const update = await send(serviceFile(cwd), 'PUT', `${path}/1`, { value: 5 });
      expect([update.status, await update.json()]).toEqual([
        200,
        { data: expect.objectContaining({ name: 'Chair', value: 5 }) },
      ]);
      await second.said('"operation":"updateItem"');
      const { dynamodb } = serviceFile(cwd);
      second.child.kill('SIGKILL');
      await untilSilent(dynamodb);
    },
  );

  test('logs requests as a line on a terminal, and stops on SIGTERM, even if a signal comes twice', async () => {
    const cwd = temporaryFolder();
    const program = start({ cwd, node: [terminal], env: { AWS_LAMBDA_LOG_LEVEL: 'INFO' } });
    await program.said(ready);
    const introduced = program.output.stdout.length;
    const service = serviceFile(cwd);
    expect((await send(service, 'PUT', `${path}/404`, { value: 5 })).status).toBe(404);
    writeFileSync(join(cwd, '.local/service.json'), 'of another run');
    // A signal can come twice at once, as npm passes on its own. Two of the same name could arrive as one.
    program.child.kill('SIGTERM');
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(0);
    const logged = program.output.stdout.slice(introduced);
    expect(logged).toMatch(/^\d\d:\d\d:\d\d PUT {5}\S+\/items\/404 404 ITEM_NOT_FOUND \d+ ms\n$/);
    expect(readFileSync(join(cwd, '.local/service.json'), 'utf8')).toBe('of another run');
    await expect(fetch(service.dynamodb)).rejects.toThrow();
  });

  test('accepts tokens of an identity provider, past the proxy of a company as all of its requests', async () => {
    const issuer = await startIssuer();
    onTestFinished(() => issuer.close());
    const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'localhost' };
    const cwd = temporaryFolder();
    const provider = ['--issuer', issuer.url, '--audience', 'catalog', '--permissions', 'realm_access', 'roles'];
    const program = start({ cwd, args: provider, env, node: [withoutIdentity] });
    await program.said(ready);
    expect(program.output.stdout).toContain(`Access tokens of ${issuer.url} for catalog are also accepted.`);
    const service = serviceFile(cwd);
    const editor = issuer.token({ account: 'demo-1', realm_access: { roles: ['catalog:edit'] } });
    for (const token of [editor, service.tokens.editor]) {
      const caller = { ...service, tokens: { ...service.tokens, editor: token } };
      expect((await send(caller, 'POST', path, { name: 'Chair' })).status).toBe(201);
    }
    const list = [`${root}admin/admin.ts`, 'account', 'list'];
    const { ended, output } = startProgram(process.execPath, list, { cwd, env });
    expect([await ended, output]).toEqual([0, { stdout: 'demo-1\ndemo-2\n', stderr: '' }]);
  });

  /** Starts the program with an engine whose process id is known. */
  async function startWithEngine(cwd: string) {
    const folder = temporaryFolder();
    // The script writes down its process id before it becomes the engine.
    const script = `#!/bin/sh\necho $$ > ${folder}/pid\nexec ${findEngineProgram()} "$@"\n`;
    writeFileSync(join(folder, 'dynoxide'), script, { mode: 0o755 });
    const program = start({ cwd, node: [withoutEnginePackage], env: { PATH: `${folder}:${process.env['PATH']}` } });
    await program.said(ready);
    return { program, engine: Number(readFileSync(join(folder, 'pid'), 'utf8')) };
  }

  test.runIf(usesEmbeddedEngine)('stops when its embedded engine does', async () => {
    const cwd = temporaryFolder();
    const { program, engine } = await startWithEngine(cwd);
    process.kill(engine);
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toBe('The DynamoDB engine has stopped, so the service is stopping too.\n');
    expect(existsSync(join(cwd, '.local/service.json'))).toBe(false);
  });

  test.runIf(usesEmbeddedEngine)('stops at once on a second Ctrl-C, although a function waits', async () => {
    const cwd = temporaryFolder();
    const { program, engine } = await startWithEngine(cwd);
    process.kill(engine, 'SIGSTOP');
    const service = serviceFile(cwd);
    const answer = send(service, 'POST', path, { name: 'Chair' }).catch(() => undefined);
    await vi.waitUntil(() => existsSync(join(cwd, '.local/events/authorizer.json')), { timeout: 60_000 });
    program.child.kill('SIGINT');
    await untilSilent(service.url);
    await sleep(1_100);
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(1);
    expect(existsSync(join(cwd, '.local/service.json'))).toBe(false);
    await answer;
    await untilSilent(service.dynamodb);
  });
});
