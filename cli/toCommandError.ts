import { CommandError } from './commandError.ts';

/**
 * Turns the error of a call to AWS into one for the user.
 * @param what failed, as a sentence without its full stop
 */
export const toCommandError =
  (what: string) =>
  (cause: Error): never => {
    const message =
      cause.name === 'CredentialsProviderError'
        ? 'No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE.'
        : `${what}: ${cause.message}`;
    throw new CommandError(message, 1, { cause });
  };
