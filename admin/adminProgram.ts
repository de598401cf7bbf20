import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommandError } from '../cli/commandError.ts';
import { placeText } from '../cli/findStack.ts';
import { environmentOption } from '../cli/options.ts';
import { createProgram } from '../cli/runCommand.ts';
import { usingTable } from '../cli/usingTable.ts';
import type { EnvironmentName } from '../infra/environments.ts';
import type { TimedContext } from '../lib/catalog/requestContext.ts';
import type { Session } from '../lib/store/database/database.ts';
import type { OpenTable } from './table/openTable.ts';
import { timedSession } from './table/operatorSession.ts';

/** The result of a command, as text for people and as data for programs. */
export interface Output {
  readonly text: string;
  readonly data: unknown;
}

/** Where commands find the table and their input, what becomes of their results, and who confirms what is final. */
export interface Surroundings {
  /** @param environment undefined means the service on this machine */
  open(environment: EnvironmentName | undefined): Promise<OpenTable & { readonly awsAccount?: string | undefined }>;
  readInput(): Promise<string>;
  show(output: Output, json: boolean): void;
  /** Asks the user for a line of text; empty if there is nobody to ask. */
  ask(question: string): Promise<string>;
}

/** The program without its commands. */
export const adminProgram = () =>
  createProgram('npm run admin --', 'Opens accounts, issues tokens, and verifies, restores and checks environments.')
    .addOption(environmentOption('use a deployed environment instead of the service on this machine'))
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'afterAll',
      '\nExit code: 0 if all is done and well, 1 if something failed or is left to you, 2 for wrong arguments.',
    );

export type AdminProgram = ReturnType<typeof adminProgram>;

/** The table that a command works on. */
export interface GivenTable extends OpenTable {
  /** Undefined means the service on this machine. */
  readonly environment: EnvironmentName | undefined;
  /**
   * Asks for a text before something is done that is hard to undo.
   * @param done such as `deleted`, to say that nothing was
   * @throws CommandError if something else is typed
   */
  confirm(question: string, expected: string, done?: string): Promise<void>;
}

type Run<On, Options, Given extends string[]> = (
  on: On,
  options: Options,
  ...given: Given
) => Promise<Output | undefined>;

/** @param place which environment this is and where, as the first line of each question; undefined on this machine */
export const confirming =
  (ask: Surroundings['ask'], place: string | undefined): GivenTable['confirm'] =>
  async (question, expected, done = 'deleted') => {
    if ((await ask([...(place === undefined ? [] : [place]), question].join('\n'))) !== expected)
      throw new CommandError(`Nothing was ${done}, because ${expected} was not typed.`);
  };

/** Makes the action of a command. Commander calls it with the arguments, then the options. */
export const tableActionsOn =
  ({ open, show, ask }: Surroundings) =>
  <Options, Given extends string[] = []>(run: Run<GivenTable, Options, Given>) =>
  async (...args: [...Given, Options, CommandUnknownOpts]): Promise<void> => {
    const [options, command] = args.slice(-2) as [Options, CommandUnknownOpts];
    const given = args.slice(0, -2) as string[] as Given;
    const { env, json = false } = command.optsWithGlobals() as ReturnType<AdminProgram['opts']>;
    const { awsAccount, ...table } = await open(env);
    const confirm = confirming(ask, placeText(env, awsAccount));
    const work = () => run({ ...table, environment: env, confirm }, options, ...given);
    const output = await usingTable(table.database.table, work);
    if (output !== undefined) show(output, json === true);
  };

/** The same for a command that changes or shows a few records, within a time limit. */
export const actionsOn = (surroundings: Surroundings) => {
  const onTable = tableActionsOn(surroundings);
  return <Options, Given extends string[] = []>(run: Run<Session<TimedContext>, Options, Given>) =>
    onTable<Options, Given>(({ database }, ...args) => run(timedSession(database), ...args));
};

export type ActionOn = ReturnType<typeof actionsOn>;
export type TableActionOn = ReturnType<typeof tableActionsOn>;
