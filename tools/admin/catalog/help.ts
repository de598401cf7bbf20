import type * as z from 'zod';
import { environmentNames } from '../../../infra/environments.ts';
import { columns } from './columns.ts';
import type { Subcommand } from './subcommand.ts';

const commonOptions = [
  [`--env ${environmentNames.join('|')}`, 'use a deployed environment instead of the service on this machine'],
  ['--json', 'print JSON, for programs'],
  ['--help', 'show this help'],
];

/** The help text of `npm run catalog` for these subcommands. */
export const help = (shown: readonly Subcommand[]): string =>
  `Opens accounts, registers categories and units, and issues tokens.

  npm run catalog -- SUBCOMMAND [options]

${indented(shown.map(({ name, summary }) => [name, summary]))}

${indented(commonOptions)}

npm run catalog -- SUBCOMMAND --help shows the options of one subcommand.`;

export function helpOf({ name, summary, options }: Subcommand): string {
  const own = Object.entries(options.shape).map(([option, schema]) => {
    const { description = '' } = schema as z.ZodType;
    return [`--${option}`, isOptional(schema) ? description : `${description} (required)`];
  });
  return `${summary}\n\n  npm run catalog -- ${name} [options]\n\n${indented([...own, ...commonOptions])}`;
}

const isOptional = (schema: unknown): boolean => (schema as z.ZodType).safeParse(undefined).success;

const indented = (rows: readonly (readonly string[])[]): string => columns(rows).replaceAll(/^/gm, '  ');
