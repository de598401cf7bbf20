import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { CommandError, toCommandError } from '../../cli/print.ts';
import { usageError } from '../../cli/program.ts';
import { settingsOf } from '../../infra/environments.ts';
import { heartbeatAccount } from '../../lib/access/accountId.ts';
import { issueToken, openAccount } from '../accounts/accounts.ts';
import type { AdminProgram, OnTable } from '../adminProgram.ts';
import { tokenLifetime } from './heartbeatHandler.ts';

const description = `Issues a token for the heartbeat of an environment, and puts it into the parameter that the environment's setting heartbeatToken names. It opens the account ${heartbeatAccount} if there is none. Run it again before the token expires after ${tokenLifetime / 86_400_000} days: the alarm expiringToken tells of that 30 days before.`;

const permissions = `
In addition to access to the table you need ssm:PutParameter on the parameter.`;

export function addHeartbeatCommand(admin: AdminProgram, on: OnTable): void {
  admin
    .command('heartbeat')
    .summary('Gives the heartbeat of an environment a token.')
    .description(description)
    .addHelpText('after', permissions)
    .action((_, command) =>
      on(command, async ({ session, environment }) => {
        if (environment === undefined) throw usageError("The command 'heartbeat' needs '--env'");
        const { heartbeatToken: Name, region } = settingsOf(environment);
        if (Name === undefined)
          throw new CommandError(`The setting ${environment}.heartbeatToken in infra/environments.ts is not set.`);
        const now = Date.now();
        await openAccount(session, heartbeatAccount);
        const expiresAt = Math.floor((now + tokenLifetime) / 1000);
        const terms = { user: 'heartbeat', permissions: ['catalog:edit'] as const, expiresAt };
        const { token, entry } = await issueToken(session, { account: heartbeatAccount, ...terms }, now);
        const put = new PutParameterCommand({ Name, Value: token, Type: 'SecureString', Overwrite: true });
        const failure = `The token ${entry.id} was issued but could not be put into ${Name}`;
        await new SSMClient({ region }).send(put).catch(toCommandError(failure));
        const expires = new Date(expiresAt * 1000).toISOString();
        const text = `The heartbeat of ${environment} uses the token ${entry.id} within 5 minutes. It expires ${expires}.`;
        return { text, data: { id: entry.id, parameter: Name, expires } };
      }),
    );
}
