import { existsSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import { root, runAdmin, serviceFolder, startProgram, temporaryFolder } from '../support/programs/program.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const table = await createTestTable();

describe('npm run admin', () => {
  it('runs a command, and prints JSON for programs', async () => {
    const cwd = serviceFolder({ table: table.table, dynamodb: inject('dynamodb') });
    const operator = operatorOf(table);
    const account = ['--account', 'program'];
    const ofAccount = (...args: string[]) => runAdmin([...args, ...account], { cwd });
    // As npm runs it. Most others run in this process.
    const open = [`${root}admin/admin.ts`, 'account', 'open', '--account', 'program'];
    const { ended, output } = startProgram(process.execPath, open, { cwd });
    expect({ code: await ended, ...output }).toEqual({
      code: 0,
      stdout: 'The account program was opened.\n',
      stderr: '',
    });
    expect(await runAdmin(['account', 'show', '--account', 'nobody'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no account nobody.\n',
    });
    const shown = await ofAccount('account', 'show', '--json');
    expect(JSON.parse(shown.stdout)).toEqual(await operator.unwrap('account show', { account: 'program' }));
    await openTestAccount(table, 'another');
    const listed = await runAdmin(['account', 'list', '--json'], { cwd });
    expect(JSON.parse(listed.stdout)).toEqual(['another', 'program']);
    const permissions = ['--permission', 'catalog:edit', '--permission', 'catalog:cost:read'];
    const issued = await ofAccount('token', 'issue', '--user', 'ann', ...permissions, '--expires', '1d', '--json');
    expect(await operator.callerOf(JSON.parse(issued.stdout).token)).toMatchObject({
      account: 'program',
      permissions: ['catalog:edit', 'catalog:cost:read'],
    });
    const input = `${JSON.parse(issued.stdout).token}\n`;
    const find = [`${root}admin/admin.ts`, 'token', 'find', '--json'];
    const finding = startProgram(process.execPath, find, { cwd, input });
    expect(await finding.ended).toBe(0);
    expect(JSON.parse(finding.output.stdout)).toMatchObject({ account: 'program', user: 'ann' });
  });

  it.each([
    [['--help'], ['account', 'token', 'item', 'verify', 'restore', 'smoke', 'Exit code: 0 ']],
    [
      ['token', 'issue', '--help'],
      [
        '--account <account>',
        '(choices: "catalog:edit", "catalog:cost:read"',
        /--expires <duration> [^-]*\(required\)/,
        '--json',
      ],
    ],
  ])('%j shows the help', async (args, expected) => {
    const { code, stdout, stderr } = await runAdmin(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of expected) expect(stdout).toMatch(text);
  });

  it.each([
    ['nonsense', "Unknown command 'nonsense'"],
    ['acount show', "Unknown command 'acount' (Did you mean account?)"],
    ['account show', "Required option '--account <account>' not specified"],
    ['account show --account', "Option '--account <account>' argument missing"],
    ['account show --account a --colour', "Unknown option '--colour'"],
    ['account show --account a --jason', "Unknown option '--jason' (Did you mean --json?)"],
    ['account show --account a b', "Too many arguments for 'show'. Expected 0 arguments but got 1: b"],
    ['account show --account a --env test', "Option '--env' must be one of dev, staging, prod"],
    ['account show --account a --account b', "Option '--account' is given more than once"],
    [
      'account apply acme.json --dry-run',
      "The command 'account apply' was removed: 'account open' opens an account, and everything else is configured over HTTP (docs/accounts.md#open-an-account)",
    ],
    ['account list --rate 100001', "Option '--rate' must be a whole number from 1 to 100000"],
    [
      'token issue --account a --user u --permission catalog:edit --expires 731d',
      "Option '--expires' must be days or hours from now, such as 90d or 12h, and at most 730d",
    ],
    ['token issue --account a --user u', "Required option '--expires <duration>' not specified"],
    [
      'token issue --account a --user u --permission x --expires 90d',
      "Option '--permission <permission...>' argument 'x' is invalid. Allowed choices are catalog:edit, catalog:cost:read, catalog:admin",
    ],
  ])('%s fails with one sentence', async (line, message) => {
    const { code, stdout, stderr } = await runAdmin(line.split(' '));
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `${message}; --help shows the options.\n`,
    });
  });

  it.each([[], ['account']])('shows its help as an error if the command is missing after %j', async (...words) => {
    const { code, stdout, stderr } = await runAdmin(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Commands:');
  });

  it.each([' t', 't ', ' ', ''])('a user cannot be named %j', async (user) => {
    const { code, stderr } = await runAdmin(['token', 'issue', '--account', 'a', '--expires', '1d', '--user', user]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      "Option '--user' must be 1 to 150 characters, without control characters and without spaces around them; --help shows the options.\n",
    );
  });

  const inShell = async (script: string, args: readonly string[], cwd = temporaryFolder()) => {
    const admin = [process.execPath, `${root}admin/admin.ts`, ...args];
    const { ended, output } = startProgram('sh', ['-c', script, ...admin], { cwd });
    return { code: await ended, ...output };
  };

  it.runIf(existsSync('/dev/full'))('says so and fails if nobody sees what it prints, as on a full disk', async () => {
    await openTestAccount(table, 'full');
    const cwd = serviceFolder({ table: table.table, dynamodb: inject('dynamodb') });
    const issue = ['token', 'issue', '--account', 'full', '--user', 'ann', '--expires', '1d'];
    expect(await inShell('exec "$0" "$@" > /dev/full', issue, cwd)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'The output cannot be written: ENOSPC: no space left on device, write. The command does its work all the same.\n',
    });
    const path = ['item', 'export', 'no-folder/items.csv', '--account', 'full'];
    expect(await inShell('exec "$0" "$@"', path, cwd)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^ENOENT: no such file or directory, open '\S*no-folder\/items\.csv\.partial'\n$/),
    });
  });

  it('ends quietly if a program that reads its first lines has closed its end', async () => {
    const { stderr } = await inShell('{ "$0" "$@"; echo "$?" >&2; } | true', ['--help']);
    expect(stderr).toBe('0\n');
  });

  it('fails with one sentence if no service is running', async () => {
    const { code, stderr } = await runAdmin(['account', 'show', '--account', 'a'], { cwd: temporaryFolder() });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^No service is running on this machine: start it with npm start[^\n]*\.\n$/);
  });
});
