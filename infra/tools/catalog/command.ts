import type * as z from 'zod';
import { timedContext } from '../../../lib/catalog/catalogStore.ts';
import { OperatorError } from '../../../lib/operator/accounts.ts';
import { openDatabase } from '../../../lib/runtime/composition.ts';
import { givenEnvironment, readOptions } from '../../cli/arguments.ts';
import { findTable } from '../../cli/findTable.ts';
import { CommandError, runCommand } from '../../cli/runCommand.ts';
import { environmentNames } from '../../environments.ts';
import type { Command } from './subcommand.ts';
import { columns } from './subcommand.ts';
import { commands } from './subcommands.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const common = [
  [`--env ${environmentNames.join('|')}`, 'a deployed environment; without it, the service that runs on this machine'],
  ['--json', 'answer in JSON, for programs'],
  ['--help', 'show this'],
];

const indented = (rows: readonly (readonly string[])[]): string => columns(rows).replaceAll(/^/gm, '  ');

const helpOf = (shown: readonly Command[]): string =>
  `Opens accounts, registers categories and units, and issues tokens.

  npm run catalog -- COMMAND [options]

${indented(shown.map(({ name, summary }) => [name, summary]))}

${indented(common)}

npm run catalog -- COMMAND --help shows a command's options.`;

function helpOfCommand({ name, summary, options }: Command): string {
  const own = Object.entries(options.shape).map(([option, schema]) => {
    const { description = '' } = schema as z.ZodType;
    return [`--${option}`, isOptional(schema) ? description : `${description} (required)`];
  });
  return `${summary}\n\n  npm run catalog -- ${name} [options]\n\n${indented([...own, ...common])}`;
}

const isOptional = (schema: unknown): boolean => (schema as z.ZodType).safeParse(undefined).success;

/** The words before the first option name the command. */
function splitArguments(args: readonly string[]): { words: string; rest: string[] } {
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const end = first === -1 ? args.length : first;
  return { words: args.slice(0, end).join(' '), rest: args.slice(end) };
}

function optionsOf({ options }: Command) {
  const own = Object.keys(options.shape).map((name) => [name, { ...text, multiple: name === 'permission' }] as const);
  return { ...Object.fromEntries(own), env: text, json: flag, help: { ...flag, short: 'h' } } as const;
}

async function run(args: readonly string[]): Promise<string> {
  const { words, rest } = splitArguments(args);
  const shown = commands.filter(({ name }) => words === '' || name === words || name.startsWith(`${words} `));
  const command = commands.find(({ name }) => name === words);
  if (command === undefined) {
    if (shown.length === 0) throw new CommandError(`There is no command "${words}"; --help lists them.`, 2);
    if (rest.includes('--help') || rest.includes('-h') || args.length === 0) return helpOf(shown);
    if (words === '') throw new CommandError('Name a command before its options; --help lists them.', 2);
    throw new CommandError(`Name the whole command: ${shown.map(({ name }) => name).join(', ')}.`, 2);
  }
  const { env, json, help, ...given } = readOptions(rest, optionsOf(command));
  if (help === true) return helpOfCommand(command);
  const execute = command.prepare(given);
  const database = openDatabase(await findTable(env === undefined ? undefined : givenEnvironment(env)));
  const output = await execute(database, timedContext(Date.now() + 30_000));
  return json === true ? JSON.stringify(output.data) : output.text;
}

await runCommand(async (args) => {
  console.log(
    await run(args).catch((error: unknown) => {
      throw error instanceof OperatorError ? new CommandError(error.message) : error;
    }),
  );
  return 0;
});
