import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandError } from '../../cli/print.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { SettingsError } from '../../infra/environments.ts';

/** Runs a command, and returns what it printed as an error and its exit code. */
async function outcomeOf(command: () => Promise<void>) {
  const print = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(process, 'argv', 'get').mockReturnValue([]);
  await runCommand(createProgram('test', 'A test.').action(command));
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
