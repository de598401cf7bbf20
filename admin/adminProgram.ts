import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { placeText } from '../cli/findStack.ts';
import { CommandError } from '../cli/print.ts';
import { createProgram, environmentOption } from '../cli/program.ts';
import { usingTable } from '../cli/usingTable.ts';
import { type EnvironmentName, settingsOf } from '../infra/environments.ts';
import type { TimedSession } from '../lib/store/database/database.ts';
import type { OpenTable } from './table/openTable.ts';
import { timedSession } from './table/operatorSession.ts';
import { RateLimiter } from './table/rateLimiter.ts';
import type { PacedTable } from './table/scanTable.ts';

/** The result of a command, as text for people and as data for programs. */
export interface Output {
  readonly text: string;
  readonly data: unknown;
}

/** A command's table, input, output and confirmations. */
export interface AdminIO {
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
export interface GivenTable extends PacedTable {
  /** Undefined means the service on this machine. */
  readonly environment: EnvironmentName | undefined;
  /** For a command that changes or shows a few records, within a time limit. */
  readonly session: TimedSession;
  /**
   * Asks for a text before something is done that is hard to undo.
   * @param done completes "Nothing was …" for another answer
   * @throws CommandError if something else is typed
   */
  confirm(question: string, expected: string, done?: string): Promise<void>;
}

/** @param place which environment this is and where, as the first line of each question; undefined on this machine */
export const confirming =
  (ask: AdminIO['ask'], place: string | undefined): GivenTable['confirm'] =>
  async (question, expected, done = 'deleted') => {
    if ((await ask(place === undefined ? question : `${place}\n${question}`)) !== expected)
      throw new CommandError(`Nothing was ${done}, because ${expected} was not typed.`);
  };

/** The options that all commands have, and the rate of those that can take long. */
type Given = ReturnType<AdminProgram['opts']> & { readonly rate?: number };

/** Runs the work of a command on the table that its options name, and shows the output, if it has any. */
export const workOnTable =
  ({ open, show, ask }: AdminIO) =>
  async (command: CommandUnknownOpts, work: (table: GivenTable) => Promise<Output | undefined>): Promise<void> => {
    const { env: environment, json = false, rate = Number.POSITIVE_INFINITY } = command.optsWithGlobals() as Given;
    const { awsAccount, ...table } = await open(environment);
    const confirm = confirming(ask, placeText(environment, awsAccount));
    const limiter = new RateLimiter(rate, table.database.clock);
    const given = { ...table, limiter, environment, session: timedSession(table.database), confirm };
    const output = await usingTable(table.database.table, () => work(given));
    if (output !== undefined) show(output, json === true);
  };

export type OnTable = ReturnType<typeof workOnTable>;

/** A sentence on how long deleted records can still be restored. */
export const recoveryText = ({ environment }: Pick<GivenTable, 'environment'>): string =>
  environment === undefined
    ? 'It cannot be restored.'
    : `Point-in-time recovery still holds it for ${settingsOf(environment).recoveryDays} days, and backups for as long as they are kept. A restore to a time before now would put it back.`;
