import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CommandError } from './commandError.ts';

const isMissing = (error: unknown): boolean => error instanceof Error && error.name === 'CredentialsProviderError';

/** The error for missing AWS credentials. */
const noCredentials = (cause: unknown): CommandError =>
  new CommandError('No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE.', 1, {
    cause,
  });

/**
 * Checks for credentials before a long command starts. The SDK looks in the same places as the CDK.
 * @param profile a profile in ~/.aws/config; undefined means the one in the environment variables
 * @throws CommandError if there are none
 */
export async function requireCredentials(region: string, profile: string | undefined): Promise<void> {
  const client = new CloudFormationClient({ region, ...(profile !== undefined && { profile }) });
  await client.config.credentials().catch((error: unknown) => {
    throw noCredentials(error);
  });
}

/**
 * Turns the error of a call to AWS into one for the user.
 * @param what failed, as a sentence without its full stop
 */
export const toCommandError =
  (what: string) =>
  (cause: Error): never => {
    throw isMissing(cause) ? noCredentials(cause) : new CommandError(`${what}: ${cause.message}`, 1, { cause });
  };
