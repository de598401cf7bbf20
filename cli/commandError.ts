/** A failure that the user of the command can fix. The message is one sentence for that user. */
export class CommandError extends Error {
  /** 2 if the arguments are wrong, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
