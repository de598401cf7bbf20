import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { EnvironmentName } from '../../infra/environments.ts';
import type { TimedContext } from '../../lib/catalog/requestContext.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { Database, Session } from '../../lib/store/database/database.ts';
import { environmentOption } from '../cli/options.ts';
import { createProgram } from '../cli/runCommand.ts';

/** Timeout of a command that changes or shows a few records, in milliseconds. */
const timeLimit = 30_000;

/** The result of a command, as text for people and as data for programs. */
export interface Output {
  readonly text: string;
  readonly data: unknown;
}

/** Where such commands find the table, and what becomes of their results. */
export interface Surroundings {
  /** @param environment undefined means the service on this machine */
  open(environment: EnvironmentName | undefined): Promise<Database>;
  show(output: Output, json: boolean): void;
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

type Run<Options, Given extends readonly string[]> = (
  session: Session<TimedContext>,
  options: Options,
  ...given: Given
) => Promise<Output>;

/** Makes the action of a command that changes or shows a few records. The action gets the arguments, then the options. */
export const actionsOn =
  ({ open, show }: Surroundings) =>
  <Options, Given extends readonly string[] = []>(run: Run<Options, Given>) =>
  async (...args: [...Given, Options, CommandUnknownOpts]): Promise<void> => {
    const [options, command] = args.slice(-2) as [Options, CommandUnknownOpts];
    const given = args.slice(0, -2) as readonly string[] as Given;
    const { env, json = false } = command.optsWithGlobals() as ReturnType<AdminProgram['opts']>;
    const database = await open(env);
    show(await run(database.for(timedContext(Date.now() + timeLimit)), options, ...given), json === true);
  };

export type ActionOn = ReturnType<typeof actionsOn>;
