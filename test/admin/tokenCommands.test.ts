import { beforeAll, describe, expect, it } from 'vitest';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const table = await createTestTable();
const { run, callerOf, unwrap } = operatorOf(table);

describe('the commands for tokens', () => {
  const account = 'tokens';
  const issue = async (permission: string[], expires: string) =>
    (await unwrap('token issue', { account, user: 'ann', permission, expires })) as Record<
      'token' | 'id' | 'expires',
      string
    >;
  beforeAll(() => openTestAccount(table, account));

  it('issue a token that is valid until it expires', async () => {
    const { token, expires } = await issue(['catalog:edit', 'catalog:edit'], '12h');
    const expiresAt = Date.parse(expires) / 1000;
    expect(await callerOf(token)).toEqual({ account, user: 'ann', permissions: ['catalog:edit'], expiresAt });
    expect(expiresAt - Date.now() / 1000).toBeCloseTo(12 * 3_600, -1);
    expect(await callerOf(token, expiresAt * 1000)).toBeUndefined();
  });

  it('issue a token without a permission, which is listed and says that it can only read', async () => {
    const { text, data } = await run('token issue', { account, user: 'bob', expires: '1d' });
    const { token, id } = data as Record<'token' | 'id', string>;
    expect(await callerOf(token)).toMatchObject({ account, user: 'bob', permissions: [] });
    expect(text).toContain('It can only read, without costs.');
    expect(await unwrap('token list', { account })).toContainEqual(
      expect.objectContaining({ id, user: 'bob', permissions: [] }),
    );
  });

  it('list a token by its id, and revoke it', async () => {
    const { token, id, expires } = await issue(['catalog:edit', 'catalog:cost:read'], '90d');
    const entry = {
      id,
      user: 'ann',
      permissions: ['catalog:edit', 'catalog:cost:read'],
      issued: expect.any(String),
      expires,
    };
    expect(await unwrap('token list', { account })).toContainEqual(entry);
    const { text } = await run('token list', { account });
    expect(text).toContain(`${id}  ann   ${expires}  catalog:edit catalog:cost:read`);
    expect(text).not.toContain(token);
    expect(JSON.stringify(await table.records())).not.toContain(token);

    const revoked = await run('token revoke', { account, id });
    expect(revoked.data).toEqual({ id, revoked: true });
    expect(revoked.text).toContain('60 s');
    expect(await callerOf(token)).toBeUndefined();
    expect(await unwrap('token list', { account })).not.toContainEqual(entry);
    await expect(run('token revoke', { account, id })).rejects.toThrow(`The account tokens has no token ${id}.`);
  });

  it('do not revoke tokens of other accounts', async () => {
    const { token, id } = await issue(['catalog:edit'], '1d');
    await openTestAccount(table, 'others');
    await expect(run('token revoke', { account: 'others', id })).rejects.toThrow('has no token');
    expect(await callerOf(token)).toBeDefined();
  });

  it('find the account and user of a token, without showing it', async () => {
    const { token, id, expires } = await issue(['catalog:edit', 'catalog:cost:read'], '1d');
    const { text, data } = await run('token find', {}, `${token}\n`);
    const permissions = ['catalog:edit', 'catalog:cost:read'];
    expect(data).toEqual({ account, user: 'ann', permissions, id, expires });
    expect(text).toMatch(
      /^account +tokens\nuser +ann\npermissions +catalog:edit catalog:cost:read\nid +[0-9a-f]{16}\n/,
    );
    expect(text).not.toContain(token);
  });

  it('reject what is no token or no longer valid, without showing it', async () => {
    const { token, id } = await issue([], '1d');
    await run('token revoke', { account, id });
    for (const [input, sentence] of [
      [token, 'This token is not valid here: it was revoked, has expired, or is of another environment.'],
      [token.slice(0, -1), 'This is not a whole token of this service.'],
    ] as const)
      await expect(run('token find', {}, input)).rejects.toThrow(sentence);
  });

  it('revoke all tokens of a user, and no others', async () => {
    const tokenOf = async (of: string, user: string) =>
      (await unwrap('token issue', { account: of, user, expires: '1d' })) as Record<'token' | 'id', string>;
    await openTestAccount(table, 'same-user');
    const [first, second] = [await tokenOf(account, 'eve'), await tokenOf(account, 'eve')];
    const kept = [await tokenOf(account, 'eve2'), await tokenOf('same-user', 'eve')];
    const { text, data } = await run('token revoke', { account, user: 'eve' });
    expect(data).toEqual({ ids: [first.id, second.id].sort(), revoked: true });
    expect(text).toContain('60 s');
    for (const { token } of [first, second]) expect(await callerOf(token)).toBeUndefined();
    for (const { token } of kept) expect(await callerOf(token)).toBeDefined();
    const again = run('token revoke', { account, user: 'eve' });
    await expect(again).rejects.toThrow('The account tokens has no token of the user eve.');
  });

  it('revoke by id or by user', async () => {
    await expect(run('token revoke', { account })).rejects.toThrow("Option '--id' or '--user' is required");
    const both = run('token revoke', { account, id: '0'.repeat(16), user: 'ann' });
    await expect(both).rejects.toThrow(/'--id <id>' cannot be used with option '--user <user>'/);
  });

  it('reject a token given instead of its id, and do not print it', async () => {
    const { token, id } = await issue(['catalog:edit'], '1d');
    for (const given of [token, id.toUpperCase(), id.slice(1), `${id}0`]) {
      const refusal = await run('token revoke', { account, id: given }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        exitCode: 2,
        message:
          "Option '--id' must be the 16 lower-case hexadecimal digits shown by token list, not the token itself; --help shows the options.",
      });
    }
    expect(await callerOf(token)).toBeDefined();
  });

  it('do not issue a token to the user that stands for operators', async () => {
    const options = { account, user: 'operator', expires: '1d' };
    await expect(run('token issue', options)).rejects.toThrow(
      'No user can have the name operator, or one that looks like it',
    );
  });

  it('do not issue a token for an account that is not open', async () => {
    const options = { account: 'nobody', user: 'ann', permission: ['catalog:edit'], expires: '1d' };
    await expect(run('token issue', options)).rejects.toThrow('There is no account nobody.');
  });
});
