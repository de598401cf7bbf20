/** A failure that the user of the command can fix. The message is one sentence for that user. */
export class CommandError extends Error {
  /** 2 if the arguments are wrong, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Turns the error of a call to AWS into one for the user. @param what the failure, as a sentence without its full stop */
export const toCommandError =
  (what: string) =>
  (cause: Error): never => {
    const message =
      cause.name === 'CredentialsProviderError'
        ? `No AWS credentials were found: sign in, for example with aws sso login, and set AWS_PROFILE. The reason: ${cause.message}`
        : `${what}: ${cause.message}`;
    throw new CommandError(message, 1, { cause });
  };
