import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SettingsError } from '../../../infra/environments.ts';
import { readOptions } from '../../../tools/cli/arguments.ts';
import { CommandError } from '../../../tools/cli/commandError.ts';
import { runCommand } from '../../../tools/cli/runCommand.ts';

/** Runs a command, and returns what it printed as an error and its exit code. */
async function outcomeOf(command: () => Promise<number>) {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await runCommand(command);
  return { printed: print.mock.calls.flat(), exitCode: process.exitCode };
}

describe('runCommand', () => {
  let exitCode: typeof process.exitCode;
  beforeEach(() => {
    exitCode = process.exitCode;
  });
  afterEach(() => {
    process.exitCode = exitCode;
    vi.restoreAllMocks();
  });

  it('exits with the code that the command returns', async () => {
    expect(await outcomeOf(async () => 7)).toEqual({ printed: [], exitCode: 7 });
  });

  it.each([
    [new CommandError('No engine.'), 'No engine.', 1],
    [new CommandError('No such option.', 2), 'No such option.', 2],
    [new SettingsError('Wrong setting.'), 'Wrong setting.', 1],
  ])('prints only the message of an expected failure: %s', async (error, sentence, code) => {
    expect(await outcomeOf(() => Promise.reject(error))).toEqual({ printed: [sentence], exitCode: code });
  });

  it('prints a defect with its stack trace', async () => {
    const defect = new Error('a defect');
    expect(await outcomeOf(() => Promise.reject(defect))).toEqual({ printed: [defect.stack], exitCode: 1 });
  });
});

it('readOptions does not report a defect as a wrong argument', () => {
  const wrongDefinition = { rounds: { type: 'number' } } as never;
  expect(() => readOptions([], wrongDefinition)).toThrow(expect.not.objectContaining({ exitCode: 2 }));
});
