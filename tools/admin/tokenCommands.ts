import { Option } from '@commander-js/extra-typings';
import { permissions } from '../../lib/access/permissions.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { limits } from '../../lib/item/limits.ts';
import { showAccount } from '../../lib/operator/accounts.ts';
import { issueToken, listTokens, revokeToken } from '../../lib/operator/tokens.ts';
import { valueOption } from '../cli/options.ts';
import type { ActionOn, AdminProgram } from './adminProgram.ts';
import { columns } from './columns.ts';
import { accountOption, duration, label, tokenId } from './options.ts';

/** How long API Gateway caches the authorizer's result for a token. */
const cacheSeconds = timeouts.authorizerCache / 1000;

const date = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Adds the commands for access tokens. */
export function addTokenCommands(admin: AdminProgram, on: ActionOn): void {
  const tokens = admin.command('token').description('Issues, lists and revokes access tokens.');
  const account = () => accountOption().makeOptionMandatory();
  tokens
    .command('issue')
    .description('Issues an access token and shows it once.')
    .addOption(account())
    .addOption(
      valueOption('--user <user>', 'the user that the token is for', label(limits.name.max)).makeOptionMandatory(),
    )
    .addOption(
      new Option('--permission <permission...>', 'may be repeated; a token without any only reads')
        .choices(permissions)
        .default([]),
    )
    .addOption(
      valueOption(
        '--expires <duration>',
        'when it expires: days or hours from now, such as 90d or 12h',
        duration,
      ).makeOptionMandatory(),
    )
    .action(
      on(async (session, values) => {
        const now = Date.now();
        const caller = {
          account: values.account,
          user: values.user,
          permissions: [...new Set(values.permission)],
          expiresAt: Math.floor(now / 1000) + values.expires,
        };
        const { token, entry } = await issueToken(session, caller, now);
        const allowed = caller.permissions.length === 0 ? ' It can only read, without costs.' : '';
        const text = `${token}\n\nThe token is not shown again.${allowed} It expires ${date(entry.expiresAt)}. Its id is ${entry.id}; revoke it by this id.`;
        return { text, data: { token, id: entry.id, expires: date(entry.expiresAt) } };
      }),
    );
  tokens
    .command('list')
    .description("Lists the ids, users, permissions and expiry of an account's tokens.")
    .addOption(account())
    .action(
      on(async (session, values) => {
        await showAccount(session, values.account);
        const entries = await listTokens(session, values.account);
        const data = entries.map(({ id, user, permissions: granted, issuedAt, expiresAt }) => ({
          id,
          user,
          permissions: granted,
          issued: date(issuedAt),
          expires: date(expiresAt),
        }));
        const rows = data.map((entry) => [entry.id, entry.user, entry.expires, entry.permissions.join(' ')]);
        return { text: columns([['id', 'user', 'expires', 'permissions'], ...rows]), data };
      }),
    );
  tokens
    .command('revoke')
    .description(`Revokes a token. It may still work for up to ${cacheSeconds} s.`)
    .addOption(account())
    .addOption(valueOption('--id <id>', 'the id of the token, as shown by token list', tokenId).makeOptionMandatory())
    .action(
      on(async (session, values) => {
        await revokeToken(session, values.account, values.id);
        const text = `The token ${values.id} was revoked. It may still work for up to ${cacheSeconds} s, while API Gateway caches the authorizer's result.`;
        return { text, data: { id: values.id, revoked: true } };
      }),
    );
}
