import { CommandError } from '../../cli/commandError.ts';

/** The stack has something that the local service cannot imitate. Whoever changed the stack needs to know what it is. */
export const unsupported = (what: string): CommandError =>
  new CommandError(`The local service does not support ${what}.`);
