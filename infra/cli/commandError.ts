/** A failure that the person who runs the command can do something about. The message is one sentence for that person. */
export class CommandError extends Error {
  /** 2 when the arguments are wrong, otherwise 1. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
