import type * as z from 'zod';
import type { TimedContext } from '../../../lib/catalog/catalogStore.ts';
import type { Database } from '../../../lib/store/database/database.ts';
import { CommandError } from '../../cli/runCommand.ts';

/** What a command answers: a text for people, and the same for programs. */
export interface Output {
  readonly text: string;
  readonly data: unknown;
}

export interface Command {
  /** The words that call it. */
  readonly name: string;
  readonly summary: string;
  /** Its options: what each accepts and, in the description, what it means. */
  readonly options: z.ZodObject;
  /**
   * Reads what an operator gave as options.
   * @returns what does the command with them
   * @throws ToolFailure that names the first wrong one
   */
  readonly prepare: (
    given: Readonly<Record<string, unknown>>,
  ) => (database: Database, work: TimedContext) => Promise<Output>;
}

/** Makes a command of its options and of what it does with their values. */
export const command = <Options extends z.ZodObject>({
  run,
  ...described
}: {
  readonly name: string;
  readonly summary: string;
  readonly options: Options;
  readonly run: (database: Database, work: TimedContext, values: z.output<Options>) => Promise<Output>;
}): Command => ({
  ...described,
  prepare: (given) => {
    const values = validate(described.options, given);
    return (database, work) => run(database, work, values);
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

/** Aligned columns. */
export function columns(rows: readonly (readonly unknown[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => String(row[index]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, index) => String(cell).padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
