import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root, startProgram, temporaryFolder } from '../support/programs/program.ts';

const missing = '0000000000000000000000000000000000000000';

test('the bench names a commit that does not exist, and ends', async () => {
  const folder = temporaryFolder();
  const { ended, output } = startProgram(process.execPath, ['bench/bench.ts', missing], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
  });
  expect(await ended).toBe(1);
  expect(output.stderr).toContain(`The commit ${missing} cannot be checked out.\n`);
  expect(readdirSync(folder)).toEqual([]);
});
