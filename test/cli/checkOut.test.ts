import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root, startProgram, temporaryFolder } from '../support/programs/program.ts';

const missing = '0000000000000000000000000000000000000000';

test.each(['tools/cdk/cdk.ts changes', 'bench/bench.ts'])(
  '%s names a commit that does not exist, and ends',
  async (line) => {
    const folder = temporaryFolder();
    const { ended, output } = startProgram(process.execPath, [...line.split(' '), missing], {
      cwd: root,
      env: { ...process.env, TMPDIR: folder },
    });
    expect(await ended).toBe(1);
    expect(output.stderr).toContain(`The commit ${missing} cannot be checked out.\n`);
    expect(readdirSync(folder)).toEqual([]);
  },
);
