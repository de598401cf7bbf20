import { expect, test } from 'vitest';
import { runProgram } from '../../support/programs/program.ts';

const run = (...args: string[]) => runProgram('tools/cdk/cdk.ts', ['changes', ...args]);

test('a commit that does not exist is named in the error', async () => {
  const { code, stderr } = await run('0000000000000000000000000000000000000000');
  expect(code).toBe(1);
  expect(stderr).toContain('The commit 0000000000000000000000000000000000000000 cannot be checked out.\n');
});
