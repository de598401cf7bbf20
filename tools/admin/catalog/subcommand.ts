import type * as z from 'zod';
import type { TimedContext } from '../../../lib/catalog/requestContext.ts';
import type { Session } from '../../../lib/store/database/database.ts';
import { CommandError } from '../../cli/commandError.ts';

/** The result, as text for people and as data for programs. */
export interface SubcommandOutput {
  readonly text: string;
  readonly data: unknown;
}

interface Description<Options extends z.ZodObject> {
  /** The words that select it, such as `account create`. */
  readonly name: string;
  readonly summary: string;
  /** The schema of each option. Its description is the option's help text. */
  readonly options: Options;
}

export interface Subcommand extends Description<z.ZodObject> {
  /**
   * Validates the options.
   * @returns a function that runs the subcommand with them
   * @throws CommandError that names the first invalid option
   */
  readonly prepare: (
    given: Readonly<Record<string, unknown>>,
  ) => (session: Session<TimedContext>) => Promise<SubcommandOutput>;
}

/** Defines a subcommand from its options and its implementation. */
export const subcommand = <Options extends z.ZodObject>({
  run,
  ...description
}: Description<Options> & {
  readonly run: (session: Session<TimedContext>, values: z.output<Options>) => Promise<SubcommandOutput>;
}): Subcommand => ({
  ...description,
  prepare: (given) => {
    const values = validate(description.options, given);
    return (session) => run(session, values);
  },
});

function validate<Options extends z.ZodObject>(
  options: Options,
  given: Readonly<Record<string, unknown>>,
): z.output<Options> {
  const parsed = options.safeParse(given);
  if (parsed.success) return parsed.data;
  const { path: [option] = [], message } = parsed.error.issues[0] ?? {};
  if (option === undefined) throw new CommandError(String(message), 2);
  const isGiven = given[String(option)] !== undefined;
  throw new CommandError(isGiven ? `--${String(option)} ${message}.` : `The option --${String(option)} is missing.`, 2);
}
