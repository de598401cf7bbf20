import { timedContext } from '../../../lib/catalog/requestContext.ts';
import { OperatorError } from '../../../lib/operator/accounts.ts';
import { openDatabase } from '../../../lib/runtime/connect.ts';
import { parseEnvironment, readOptions } from '../../cli/arguments.ts';
import { CommandError } from '../../cli/commandError.ts';
import { findTable } from '../../cli/findTable.ts';
import { print } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { help, helpOf } from './help.ts';
import type { Subcommand } from './subcommand.ts';
import { subcommands } from './subcommands.ts';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** Timeout of a subcommand, in milliseconds. */
const timeLimit = 30_000;

/** @returns the text to print */
async function run(args: readonly string[]): Promise<string> {
  const { words, rest } = splitArguments(args);
  const called = subcommands.find(({ name }) => name === words);
  if (called === undefined) return overview(words, rest);
  const { env, json, help: helpWanted, ...given } = readOptions(rest, optionsOf(called));
  if (helpWanted === true) return helpOf(called);
  const execute = called.prepare(given);
  const database = openDatabase(await findTable(env === undefined ? undefined : parseEnvironment(env)));
  const output = await execute(database.for(timedContext(Date.now() + timeLimit)));
  return json === true ? JSON.stringify(output.data) : output.text;
}

/** The words before the first option name the subcommand. */
function splitArguments(args: readonly string[]): { words: string; rest: string[] } {
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const end = first === -1 ? args.length : first;
  return { words: args.slice(0, end).join(' '), rest: args.slice(end) };
}

function optionsOf({ options }: Subcommand) {
  const own = Object.keys(options.shape).map((name) => [name, { ...text, multiple: name === 'permission' }] as const);
  return { ...Object.fromEntries(own), env: text, json: flag, help: { ...flag, short: 'h' } } as const;
}

/**
 * The help of all subcommands that start with these words.
 * @throws CommandError if there are none, or help was not requested
 */
function overview(words: string, rest: readonly string[]): string {
  const shown = subcommands.filter(({ name }) => words === '' || name.startsWith(`${words} `));
  if (shown.length === 0) throw new CommandError(`There is no subcommand "${words}"; --help lists them.`, 2);
  const isEmpty = words === '' && rest.length === 0;
  if (isEmpty || rest.includes('--help') || rest.includes('-h')) return help(shown);
  if (words === '') throw new CommandError('Name a subcommand before the options; --help lists them.', 2);
  throw new CommandError(`Name the whole subcommand: ${shown.map(({ name }) => name).join(', ')}.`, 2);
}

await runCommand(async (args) => {
  const printed = await run(args).catch((error: unknown) => {
    throw error instanceof OperatorError ? new CommandError(error.message) : error;
  });
  print(printed);
  return 0;
});
