import { afterAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { explainToken } from '../../admin/accounts/explainToken.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { startIssuer } from '../support/api/testIssuer.ts';
import { root, serviceFolder, startProgram } from '../support/programs/program.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const issuer = await startIssuer();
afterAll(() => issuer.close());
const table = await createTestTable();
await openTestAccount(table, 'acme');
const claims = { account: ['app', 'account'], permissions: 'roles' };
const settings = identitySettings.parse({ issuer: issuer.url, audience: 'catalog', claims });

vi.mock('../../infra/environments.ts', async (load) => ({
  ...(await load<object>()),
  settingsOf: (name: string) => ({
    identity: name === 'dev' ? [{ ...settings, issuer: 'https://login.example.com' }, settings] : undefined,
  }),
}));

describe('the command', () => {
  const { run } = operatorOf(table);

  it.each<[number, object, string]>([
    [0, { app: { account: 'acme' } }, 'the account  is open'],
    [1, { app: { account: 'nobody' } }, 'the account  There is no account nobody.'],
    [1, { app: {} }, 'like operator'],
    [1, { aud: 'account' }, 'other audience'],
  ])('ends with %i for a token with %j', async (code, differences, end) => {
    onTestFinished(() => {
      process.exitCode = undefined;
    });
    const { text } = await run('token explain', { env: 'dev' }, `${issuer.token(differences)}\n`);
    expect([process.exitCode, text.startsWith('ok'), text.endsWith(end)]).toEqual([code, true, true]);
  });

  it('takes without --env what the service on this machine was started with', async () => {
    const location = { table: table.table, dynamodb: inject('dynamodb') };
    const token = `${issuer.token({ app: { account: 'acme' } })}\n`;
    const explain = (more: object) =>
      startProgram(process.execPath, [`${root}admin/admin.ts`, 'token', 'explain'], {
        cwd: serviceFolder({ ...location, ...more }),
        input: token,
      });
    const { ended, output } = explain({ identity: settings });
    expect([await ended, output.stderr]).toEqual([0, '']);
    expect(output.stdout).toMatch(/permissions: *\nthe account +is open\n$/);
    const without = explain({});
    expect(await without.ended).toBe(1);
    expect(without.output.stderr).toContain('accepts no identity provider: start it with one');
  });

  it('needs an environment with an identity provider', async () => {
    await expect(run('token explain', { env: 'prod' })).rejects.toThrow('The settings of prod have no identity');
  });
});

describe('the explanation of a token', () => {
  it('says of a valid one that all is well, and what its claims are here', async () => {
    const token = issuer.token({ app: { account: 'acme' }, roles: ['catalog:edit', 'other'] });
    const { caller, text } = await explainToken(settings, token);
    expect(caller).toMatchObject({ account: 'acme' });
    expect(text).not.toMatch(/FAILED|skipped/);
    expect(text).toContain(`settings     issuer ${issuer.url}, audience catalog\n`);
    expect(text).toContain('account      app > account: "acme"\n');
    expect(text).toContain('permissions  roles: ["catalog:edit","other"]\nresult       permissions: catalog:edit');
  });

  it('says of one that is refused what is wrong with it, and what was not looked at', async () => {
    const { caller, text, data } = await explainToken(settings, issuer.token({ aud: 'account', exp: 1 }));
    expect(caller).toBeUndefined();
    expect(text).toMatch(/\nok +has the signature of its key\nFAILED +is for an audience in the settings\n/);
    expect(text).toMatch(/\nskipped +has not expired/);
    expect(text).toContain('account      app > account: missing\n');
    expect(text).toContain('"aud":"account"');
    expect(data).toMatchObject({ refusal: { reason: 'other audience' }, caller: undefined });
  });

  it('says of a valid one if its user has no account', async () => {
    const { caller, text } = await explainToken(settings, issuer.token());
    expect(caller).toBeUndefined();
    expect(text).not.toContain('FAILED');
    expect(text).toMatch(/result +no account, or a user without a name, or with one like operator$/);
  });

  it('says of an opaque one what has probably been forgotten', async () => {
    const { text } = await explainToken(settings, 'opaque');
    expect(text).toMatch(/^FAILED +is a signed JWT; .*requested the audience\nskipped/);
  });

  it('fails with the reason for which the keys cannot be fetched', async () => {
    const url = 'http://127.0.0.1:1';
    const explained = explainToken({ ...settings, issuer: url }, issuer.token({ iss: url }));
    await expect(explained).rejects.toThrow(`The keys of ${url} cannot be fetched: connect ECONNREFUSED`);
  });
});
