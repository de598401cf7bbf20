import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { startWork } from '../../lib/item/catalog.ts';
import { openDatabase } from '../../lib/runtime/compose.ts';
import { RegistryError } from '../../lib/store/registry.ts';
import { environmentNames } from '../environments.ts';
import type { Command, Output } from './catalogCommands.ts';
import { commands } from './catalogCommands.ts';
import { findTable } from './findTable.ts';
import { runTool, ToolFailure } from './toolFailure.ts';

const usageError = (message: string): ToolFailure => new ToolFailure(message, 2);

const common = `  --env ${environmentNames.join('|')}   a deployed environment; without it, the service that runs on this machine
  --json                 answer in JSON, for programs
  --help                 show this`;

const helpOf = (shown: readonly Command[]): string =>
  `Opens accounts, registers categories and units, and issues tokens.

  npm run catalog -- COMMAND [options]

${shown.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`).join('\n')}

${common}

npm run catalog -- COMMAND --help shows a command's options.`;

function helpOfCommand({ name, summary, options }: Command): string {
  const lines = Object.entries(options.shape).map(
    ([option, schema]) =>
      `  ${`--${option}`.padEnd(23)}${(schema as z.ZodType).description ?? ''}${isOptional(schema) ? ' (optional)' : ''}`,
  );
  return `${summary}\n\n  npm run catalog -- ${name} [options]\n\n${lines.join('\n')}\n${common}`;
}

const isOptional = (schema: unknown): boolean => (schema as z.ZodType).safeParse(undefined).success;

/** The words before the first option name the command. */
function splitArguments(args: readonly string[]): { words: string; rest: string[] } {
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const end = first === -1 ? args.length : first;
  return { words: args.slice(0, end).join(' '), rest: args.slice(end) };
}

function readOptions({ options }: Command, args: string[]) {
  const own = Object.fromEntries(
    Object.keys(options.shape).map((name) => [name, { type: 'string' as const, multiple: name === 'permission' }]),
  );
  const shared = { env: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  try {
    return parseArgs({ args, options: { ...own, ...shared } }).values;
  } catch (error) {
    throw usageError(`${(error as Error).message.split(/\.?(?:\n|\. )/)[0]}.`);
  }
}

function validate({ options }: Command, values: Record<string, unknown>): never {
  const parsed = options.safeParse(values);
  if (parsed.success) return parsed.data as never;
  const [issue] = parsed.error.issues;
  if (issue?.path.length === 0) throw usageError(issue.message);
  const option = String(issue?.path[0]);
  throw usageError(option in values ? `--${option} ${issue?.message}.` : `The option --${option} is missing.`);
}

async function run(args: readonly string[]): Promise<string> {
  const { words, rest } = splitArguments(args);
  const shown = commands.filter(({ name }) => words === '' || name === words || name.startsWith(`${words} `));
  const command = commands.find(({ name }) => name === words);
  if (command === undefined) {
    if (shown.length === 0) throw usageError(`There is no command "${words}"; --help lists them.`);
    if (rest.includes('--help') || args.length === 0) return helpOf(shown);
    if (words === '') throw usageError(`Name a command before its options; --help lists them.`);
    throw usageError(`"${words}" is not a whole command; ${shown.map(({ name }) => name).join(', ')} are.`);
  }
  const { env, json, help, ...given } = readOptions(command, rest);
  if (help === true) return helpOfCommand(command);
  const values = validate(command, given);
  if (env !== undefined && !environmentNames.some((name) => name === env))
    throw usageError(`There is no environment "${env}"; choose one of ${environmentNames.join(', ')}.`);
  const database = openDatabase(await findTable(env as string | undefined));
  const output: Output = await command.run(database, startWork(Date.now() + 30_000), values);
  return json === true ? JSON.stringify(output.data) : output.text;
}

await runTool(async (args) => {
  console.log(
    await run(args).catch((error: unknown) => {
      throw error instanceof RegistryError ? new ToolFailure(error.message) : error;
    }),
  );
  return 0;
});
