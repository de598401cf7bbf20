import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { usageError, valueOption } from '../../cli/program.ts';
import { permissions } from '../../lib/access/caller.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import type { AdminIO, AdminProgram, OnTable } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { duration, label, requiredAccount, tokenId } from '../options.ts';
import { timedSession } from '../table/operatorSession.ts';
import { identifyToken, issueToken, listTokens, revokeTokens, showAccount } from './accounts.ts';

const cacheSeconds = timeouts.authorizerCache / 1000;

const date = (seconds: number): string => new Date(seconds * 1000).toISOString();

const userOption = (description: string) => valueOption('--user <user>', description, label(150));

export function addTokenCommands(admin: AdminProgram, on: OnTable, io: AdminIO): void {
  const tokens = admin.command('token').description('Issues, lists, finds and revokes access tokens.');
  addIssueCommand(tokens, on);
  addListCommand(tokens, on);
  addFindCommand(tokens, on, io);
  addRevokeCommand(tokens, on);
}

function addIssueCommand(tokens: CommandUnknownOpts, on: OnTable): void {
  const when = 'when it expires: days or hours from now, such as 90d or 12h';
  tokens
    .command('issue')
    .description('Issues an access token and shows it once.')
    .addOption(requiredAccount())
    .addOption(userOption('the user that the token is for').makeOptionMandatory())
    .addOption(
      new Option('--permission <permission...>', 'may be repeated; a token without any only reads')
        .choices(permissions)
        .default([]),
    )
    .addOption(valueOption('--expires <duration>', when, duration).makeOptionMandatory())
    .action(({ account, user, permission, expires }, command) =>
      on(command, async ({ session }) => {
        const now = Date.now();
        const expiresAt = Math.floor(now / 1000) + expires;
        const caller = { account, user, permissions: [...new Set(permission)], expiresAt };
        const { token, entry } = await issueToken(session, caller, now);
        const allowed = caller.permissions.length === 0 ? ' It can only read, without costs.' : '';
        const text = `${token}\n\nThe token is not shown again.${allowed} It expires ${date(entry.expiresAt)}. Its id is ${entry.id}; revoke it by this id.`;
        return { text, data: { token, id: entry.id, expires: date(entry.expiresAt) } };
      }),
    );
}

function addListCommand(tokens: CommandUnknownOpts, on: OnTable): void {
  tokens
    .command('list')
    .description("Lists the ids, users, permissions and expiry of an account's tokens.")
    .addOption(requiredAccount())
    .action(({ account }, command) =>
      on(command, async ({ session }) => {
        await showAccount(session, account);
        const data = (await listTokens(session, account)).map(({ hash: _, issuedAt, expiresAt, ...entry }) => {
          return { ...entry, issued: date(issuedAt), expires: date(expiresAt) };
        });
        const rows = data.map((entry) => [entry.id, entry.user, entry.expires, entry.permissions.join(' ')]);
        return { text: columns([['id', 'user', 'expires', 'permissions'], ...rows]), data };
      }),
    );
}

function addFindCommand(tokens: CommandUnknownOpts, on: OnTable, { readInput }: AdminIO): void {
  tokens
    .command('find')
    .summary('Shows the account, user and id of a token.')
    .description(
      'Reads a token from the standard input, and shows its account, user and id. It is not an argument, because arguments remain in the history of the shell.',
    )
    .action((_, command) =>
      on(command, async ({ database }) => {
        const token = (await readInput()).trim();
        // With a new time limit, because a person may take longer than the command's.
        const { expiresAt, ...found } = await identifyToken(timedSession(database), token);
        const data = { ...found, expires: date(expiresAt) };
        const rows = Object.entries(data).map(([name, value]) => [name, [value].flat().join(' ')]);
        return { text: columns(rows), data };
      }),
    );
}

function addRevokeCommand(tokens: CommandUnknownOpts, on: OnTable): void {
  tokens
    .command('revoke')
    .description(`Revokes a token, or all tokens of a user. They may still work for up to ${cacheSeconds} s.`)
    .addOption(requiredAccount())
    .addOption(
      valueOption('--id <id>', 'the id of the token, as shown by token list and token find', tokenId).conflicts('user'),
    )
    .addOption(userOption('revoke all tokens of this user'))
    .action(({ account, id, user }, command) =>
      on(command, async ({ session }) => {
        const delay = `still work for up to ${cacheSeconds} s, while API Gateway caches the authorizer's result.`;
        if (user !== undefined) {
          const ids = await revokeTokens(session, account, ['user', user]);
          return { text: `Revoked: ${ids.join(', ')}. They may ${delay}`, data: { ids, revoked: true } };
        }
        if (id === undefined) throw usageError("Option '--id' or '--user' is required");
        await revokeTokens(session, account, ['id', id]);
        return { text: `The token ${id} was revoked. It may ${delay}`, data: { id, revoked: true } };
      }),
    );
}
