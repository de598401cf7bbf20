import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from '../../cli/checkOut.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import bugs from './bugs.json' with { type: 'json' };
import { placesOf } from './placesOf.ts';

const description = `Plants each bug of bugs.json in a copy of HEAD, and looks for a test that fails: to show before and after tests are removed that as much is caught. Exits with 1 if a bug is not caught, or no longer fits the source.`;

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The tests for the bugs of each area, in runs of which the next one starts if nothing has failed. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  rules: ['test/unit', 'test/integration test/http', 'test/contract test/fuzz'],
  store: ['test/unit', 'test/integration test/http', 'test/faults test/fuzz test/records'],
  http: ['test/unit', 'test/integration test/http', 'test/contract test/infra/constructs test/fuzz'],
  infra: ['test/unit', 'test/infra'],
  operator: [
    'test/unit',
    'test/admin test/http/smoke.test.ts test/tools/cdk test/infra/pipeline',
    'test/integration test/faults test/check/deploy.test.ts',
  ],
  client: ['test/client'],
  local: ['test/cli test/local test/infra/constructs', 'test/tools test/infra', 'test/http test/contract'],
};

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function firstFailure(cwd: string, tests: string): string | undefined {
  const report = join(cwd, '.local/planted.json');
  // If the tests cannot start, there is no report, instead of that of an earlier bug.
  rmSync(report, { force: true });
  const vitest = [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', '--bail=1', '--reporter=json'];
  spawnSync(process.execPath, [...vitest, `--outputFile=${report}`, ...tests.split(' ')], { cwd });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  // Vitest also calls files failed that it has not run, because a test had failed.
  return testResults.flatMap((file) => file.assertionResults).find(({ status }) => status === 'failed')?.fullName;
}

/** What becomes of a bug: the test that catches it, or why none does. */
function plant(cwd: string, { id, file, find, replace }: (typeof bugs)[number]): { caught: boolean; by: string } {
  const path = join(cwd, file);
  const source = readFileSync(path, 'utf8');
  const [before = '', after, ...others] = placesOf(source, find);
  if (after === undefined || others.length > 0) return { caught: false, by: 'no longer fits the source' };
  try {
    writeFileSync(path, before + replace + after);
    for (const tests of testsOf[id.split('-')[0] ?? ''] ?? []) {
      const by = firstFailure(cwd, tests);
      if (by !== undefined) return { caught: true, by };
    }
    return { caught: false, by: 'no test fails' };
  } finally {
    writeFileSync(path, source);
  }
}

await runCommand(
  createProgram('npm run nightly -- planted', description)
    .argument('[ids...]', 'only these bugs, such as store-08')
    .action((ids) => {
      const folder = mkdtempSync(join(tmpdir(), 'catalog-planted-'));
      const cwd = join(folder, 'commit');
      const { remove } = checkOut(root, 'HEAD', cwd);
      try {
        for (const bug of bugs.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
          const { caught, by } = plant(cwd, bug);
          console.log(`${bug.id} ${caught ? 'caught by' : 'NOT CAUGHT:'} ${by}`);
          if (!caught) process.exitCode = 1;
        }
      } finally {
        remove();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
);
