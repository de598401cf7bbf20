import { availableParallelism } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const takesLong = ({ moduleId }: TestSpecification): boolean =>
  /\/(schedules|start|fuzz|crashPoints)\.test\.ts$/.test(moduleId);

/** Vitest knows only from earlier runs how long a file takes. At the end, one core would have to wait for these. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(takesLong), ...sorted.filter((file) => !takesLong(file))];
  }
}

/** Makes devDependencies as missing as they are where `npm test` installs what it needs. */
const dependenciesOnly = 'test/support/setup/dependenciesOnly.ts';
const inPrograms = { NODE_OPTIONS: `--import=${pathToFileURL(dependenciesOnly)}` };

/** Runs the bundles of the stack on the engine. */
const bundling = 'test/infra/constructs/bundling.test.ts';

export default defineConfig({
  test: {
    // They only end what hangs. No test is about how fast the machine is, and it may be busy. At night, some take hours.
    testTimeout: process.env['NIGHTLY'] === undefined ? 300_000 : 0,
    hookTimeout: 300_000,
    // Vitest leaves one core to itself. Of two that is too much: a third of the time would be spent on waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    env: {
      AWS_LAMBDA_LOG_LEVEL: 'ERROR',
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      // Many tests start a program, half of whose time would go into compiling its libraries.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.local/compile-cache', import.meta.url)),
    },
    globalSetup: 'test/support/setup/temporaryFolder.ts',
    // Loading the libraries again for each file would take a sixth of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      // Plain functions and templates share nothing.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,infra}/**/*.test.ts'],
          exclude: [bundling],
          setupFiles: [dependenciesOnly, 'test/support/setup/repeatable.ts'],
          env: inPrograms,
        },
      },
      // The others share one engine, and each file has a table of its own on it.
      {
        extends: true,
        test: {
          name: 'engine',
          include: ['test/!(unit|infra|check)/**/*.test.ts', bundling],
          setupFiles: [dependenciesOnly, 'test/support/setup/repeatable.ts', 'test/support/setup/ownSurroundings.ts'],
          globalSetup: 'test/support/setup/globalSetup.ts',
          env: inPrograms,
        },
      },
      // These need devDependencies, so `npm run check` runs them.
      { extends: true, test: { name: 'check', include: ['test/check/**/*.test.ts'] } },
    ],
  },
});
