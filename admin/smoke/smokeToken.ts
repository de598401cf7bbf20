import { SSMClient } from '@aws-sdk/client-ssm';
import { CommandError } from '../../cli/commandError.ts';
import { type EnvironmentName, settingsOf } from '../../infra/environments.ts';
import { readHeartbeatToken } from './heartbeatToken.ts';

export const tokenVariable = 'CATALOG_TOKEN';

/** Pipelines set the variable to an empty text if they have no token. @throws CommandError if it cannot be a token */
export function tokenIn({ [tokenVariable]: token }: NodeJS.ProcessEnv): string | undefined {
  if (token === undefined || token === '') return undefined;
  // The error of `fetch` would show the token.
  if (!/^[!-~]+$/.test(token)) throw new CommandError(`The value of ${tokenVariable} is not a token.`, 2);
  return token;
}

/** The token of the checks that call functions. */
export interface SmokeToken {
  readonly token?: string;
  readonly isHeartbeats?: boolean;
  /** Why there is none although the environment's settings name it. */
  readonly missing?: string;
}

/** Reads the token of an environment's heartbeat for a person. A pipeline, which sets the variable CI, may not read it. */
export async function personsToken(environment: EnvironmentName): Promise<SmokeToken> {
  const { heartbeatToken: Name, region } = settingsOf(environment);
  if (Name === undefined || (process.env['CI'] ?? '') !== '') return {};
  return readHeartbeatToken(new SSMClient({ region }), Name).then(
    (read) => {
      if (read !== undefined && read.expiresAt > Date.now()) return { token: read.token, isHeartbeats: true };
      const what = read === undefined ? 'has no token' : 'has a token that has expired';
      return { missing: `The heartbeat ${what}: npm run admin -- heartbeat --env ${environment} gives it a new one.` };
    },
    ({ message }: Error) => ({ missing: `The heartbeat's token in ${Name} cannot be read: ${message}` }),
  );
}
