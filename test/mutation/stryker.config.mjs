import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const files = globSync('{lib,client,admin,infra}/**/*.ts', {
  exclude: ['lib/openapi/**', 'client/{dist,node_modules}/**', '**/*.d.ts'],
});

/** `MUTATION_PART=3/14` is each fourteenth file, which a schedule can run in turn. */
const [part = 0, parts = 1] = (process.env['MUTATION_PART'] ?? '').split('/').map(Number);

export default {
  testRunner: 'vitest',
  // Tests over HTTP load the functions by name, so no import relates them to a mutant.
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false, pool: 'forks' },
  mutate: files.sort().filter((_, index) => index % parts === part % parts),
  coverageAnalysis: 'perTest',
  // All tests would run for each mutant of what is computed when a module is loaded.
  ignoreStatic: true,
  tsconfigFile: 'no-tsconfig.json',
  tempDirName: '.local/stryker',
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { logTests: false },
  concurrency: availableParallelism(),
  dryRunTimeoutMinutes: 60,
  timeoutMS: 20_000,
};
