import { CommandError } from '../../cli/commandError.ts';

/**
 * The stack has a feature that the local service cannot emulate. The message names it for whoever changed the stack.
 */
export const unsupported = (what: string): CommandError =>
  new CommandError(`The local service does not support ${what}.`);
