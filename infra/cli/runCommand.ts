import { SettingsError } from '../environments.ts';

/** What a tool cannot go on with; the message is one sentence for the person who called it. */
export class CommandError extends Error {
  /** 2: the arguments are wrong; 1: anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a tool as this process's program. A defect keeps its stack, which is for developers.
 * @param tool takes the program's arguments, gives its exit code
 */
export async function runCommand(tool: (args: readonly string[]) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await tool(process.argv.slice(2));
  } catch (error) {
    const isExpected = error instanceof CommandError || error instanceof SettingsError;
    console.error(isExpected ? error.message : error);
    process.exitCode = error instanceof CommandError ? error.exitCode : 1;
  }
}
