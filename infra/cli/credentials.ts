import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CommandError } from './commandError.ts';

const isMissing = (error: unknown): boolean => error instanceof Error && error.name === 'CredentialsProviderError';

/** What a command says when it has no credentials to ask AWS with. */
const noCredentials = (cause: unknown): CommandError =>
  new CommandError('There are no AWS credentials: sign in, for example with aws sso login, and set AWS_PROFILE.', 1, {
    cause,
  });

/**
 * Finds out before a long command begins whether there are credentials for it. The SDK looks for them where the CDK does.
 * @param profile one of ~/.aws/config; undefined: that of the environment
 * @throws CommandError when there are none
 */
export async function requireCredentials(region: string, profile: string | undefined): Promise<void> {
  const client = new CloudFormationClient({ region, ...(profile !== undefined && { profile }) });
  await client.config.credentials().catch((error: unknown) => {
    throw noCredentials(error);
  });
}

/** The sentence for a call to AWS that failed. */
export const callError = (what: string, cause: Error): CommandError =>
  isMissing(cause) ? noCredentials(cause) : new CommandError(`${what}: ${cause.message}`, 1, { cause });
