import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/testApi.ts';
import { runAdmin, serviceFolder } from '../program.ts';

describe('npm run admin -- smoke', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  /** Runs the command in a folder whose service is the one under test. */
  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const cwd = serviceFolder({ url: api.url, dynamodb: inject('dynamodb'), tokens: api.tokens });
    writeFileSync(join(cwd, 'outputs.json'), JSON.stringify({ 'catalog-dev': { ApiUrl: `${api.url}/` } }));
    return runAdmin(['smoke', ...args], { cwd, env });
  }

  it('checks the service on this machine, with the token of its editor', async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ok {6}Updating and deactivating it \(\d+ ms\)$/m);
    expect(stdout).toMatch(new RegExp(`^${api.url} passed all checks\\.\n$`, 'm'));
  });

  it('checks a deployed environment without a token, at the address written by deploy', async () => {
    const { code, stdout } = await run(['--env', 'dev', '--outputs', 'outputs.json']);
    expect(code).toBe(0);
    expect(stdout).not.toContain('Creating an item');
  });

  it('uses the given token, and exits with 1 if a check fails', async () => {
    const { code, stdout } = await run([], { CATALOG_TOKEN: api.tokens.reader });
    expect(code).toBe(1);
    expect(stdout).toContain('FAILED  Creating an item got 403');
    expect(stdout).not.toContain(api.tokens.reader);
  });

  it.each([
    [['--env', 'test'], "Option '--env' must be one of dev, staging, prod; --help shows the options.", 2],
    [['--outputs', 'outputs.json'], "Option '--outputs' needs '--env'; --help shows the options.", 2],
    [['--env', 'prod', '--outputs', 'outputs.json'], 'The file outputs.json has no output ApiUrl of catalog-prod.', 1],
  ])('rejects %j with one sentence', async (args, message, expected) => {
    expect(await run(args)).toEqual({ code: expected, stdout: '', stderr: `${message}\n` });
  });

  it('--help names the variable for the token', async () => {
    expect((await run(['--help'])).stdout).toContain('CATALOG_TOKEN');
  });
});
