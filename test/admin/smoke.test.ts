import { describe, expect, inject, it, vi } from 'vitest';
import { startTestApi } from '../support/api/testApi.ts';
import { runAdmin, serviceFolder } from '../support/programs/program.ts';
import { answering } from '../support/standIns/answering.ts';
import { startAws } from '../support/standIns/standInAws.ts';
import { putAt, startParameters } from '../support/standIns/standInParameters.ts';

const api = await startTestApi({ recordsChanges: true });

describe('npm run admin -- smoke', () => {
  /** Runs the command in a folder whose service is the one under test. */
  function run(args: readonly string[], env: NodeJS.ProcessEnv = {}, dynamodb = inject('dynamodb')) {
    const cwd = serviceFolder({ url: api.url, dynamodb, tokens: api.tokens });
    return runAdmin(['smoke', ...args], { cwd, env });
  }

  it('checks the service on this machine, with the token of its editor', async () => {
    const { code, stdout, stderr } = await run([]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ok {6}updateItem \(\d+ ms\)$/m);
    expect(stdout).toMatch(new RegExp(`^${api.url} passed all checks\\.\n$`, 'm'));
  });

  const noToken = [{}, { CATALOG_TOKEN: '' }];
  it.each(noToken)('checks an environment without a token (%j), at the address in its outputs', async (env) => {
    const aws = await startAws({ stack: { outputs: { ApiUrl: `${api.url}/` } } });
    const { code, stdout } = await run(['--env', 'dev'], { ...env, AWS_ENDPOINT_URL: aws.url });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {6}updateItem without a token \(\d+ ms\)$/m);
    expect(stdout).toMatch(/passed all checks that need no token; functions were not called\.\n$/);
  });

  describe('of an environment whose heartbeat has a token', () => {
    const Name = '/catalog/prod/heartbeat-token';
    const runProd = async (parameters: Record<string, string>, env: NodeJS.ProcessEnv = {}) => {
      const aws = await startAws({ stack: { outputs: { ApiUrl: `${api.url}/` } } });
      const asked = await startParameters(parameters);
      return { asked, ...(await run(['--env', 'prod'], { CI: undefined, ...env, AWS_ENDPOINT_URL: aws.url })) };
    };

    it('reads it for a person, and also checks that changes are recorded', async () => {
      const { code, stdout } = await runProd({ [Name]: api.tokens.editor });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ok {6}updateItem \(\d+ ms\)\n(.*\n)*ok {6}recordChanges \(\d+ ms\)$/m);
      expect(stdout).toMatch(/ passed all checks\.\n$/);
      expect(stdout).not.toContain(api.tokens.editor);
    });

    it('checks what it can without it, says why there is none, and exits with 1', async () => {
      const { code, stdout } = await runProd({});
      expect(code).toBe(1);
      expect(stdout).toMatch(
        / passed all checks that need no token; functions were not called\. The heartbeat has no token: npm run admin -- heartbeat --env prod gives it a new one\.\n$/,
      );
      const then = vi.spyOn(Date, 'now').mockReturnValue(putAt + 730 * 86_400_000);
      const expired = await runProd({ [Name]: api.tokens.editor });
      then.mockRestore();
      expect(expired.code).toBe(1);
      expect(expired.stdout).toMatch(/ functions were not called\. The heartbeat has a token that has expired: /);
      const refused = await runProd({}, { AWS_ENDPOINT_URL_SSM: 'http://127.0.0.1:1' });
      expect(refused.code).toBe(1);
      expect(refused.stdout).toMatch(
        / functions were not called\. .* in \/catalog\/prod\/heartbeat-token cannot be read: .*ECONNREFUSED/,
      );
    });

    it('does not read it in a pipeline, nor if it is given another one', async () => {
      const inPipeline = await runProd({ [Name]: api.tokens.editor }, { CI: 'true' });
      expect(inPipeline).toMatchObject({ code: 0, asked: [] });
      expect(inPipeline.stdout).toMatch(/; functions were not called\.\n$/);
      const given = await runProd({ [Name]: api.tokens.editor }, { CATALOG_TOKEN: api.tokens.editor });
      expect(given).toMatchObject({ code: 0, asked: [] });
      expect(given.stdout).not.toContain('recordChanges');
    });
  });

  it('uses the given token, exits with 1 if a check fails, and names those that it skips', async () => {
    const { code, stdout } = await run([], { CATALOG_TOKEN: api.tokens.reader });
    expect(code).toBe(1);
    expect(stdout).toContain('FAILED  createItem got 403');
    expect(stdout).toMatch(/\nskipped getItem\nskipped updateItem\n/);
    expect(stdout).toMatch(/ failed 1 of \d+ checks\.\n$/);
    expect(stdout).not.toContain(api.tokens.reader);
    const { skipped } = JSON.parse((await run(['--json'], { CATALOG_TOKEN: api.tokens.reader })).stdout);
    expect(skipped).toEqual(expect.arrayContaining(['getItem', 'updateItem']));
  });

  it('does not show a token that cannot be sent', async () => {
    const stderr = 'The value of CATALOG_TOKEN is not a token.\n';
    expect(await run([], { CATALOG_TOKEN: `${api.tokens.editor}\n2` })).toEqual({ code: 2, stdout: '', stderr });
  });

  it('checks the service on this machine while its table is slow', async () => {
    expect(await run([], {}, await answering(() => undefined))).toMatchObject({ code: 0, stderr: '' });
  });
});
