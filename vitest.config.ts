import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Their tests share one engine, and each file has a table of its own on it. */
const engineFolders = ['http', 'contract', 'infra', 'tools', 'faults', 'fuzz', 'records', 'docs'];

/** Tests of the stack's template and bundles. */
const stackTests = [
  'test/infra/{backupVault,catalogStack,environments,logicalIds,pipeline,rules}.test.ts',
  'test/infra/constructs/!(bundling).test.ts',
];

export default defineConfig({
  test: {
    // They only end what hangs. No test is about how fast the machine is, and it may be busy.
    testTimeout: 300_000,
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
    setupFiles: 'test/support/fixedSeed.ts',
    projects: [
      // Plain functions share nothing, and loading their libraries once for each file would take most of the time.
      { extends: true, test: { name: 'unit', include: ['test/{unit,planted}/**/*.test.ts'], isolate: false } },
      // The same for templates, whose library takes a second.
      { extends: true, test: { name: 'stack', include: stackTests, isolate: false } },
      // These only share the SDK, which is large.
      {
        extends: true,
        test: {
          name: 'store',
          include: ['test/integration/**/*.test.ts'],
          isolate: false,
          globalSetup: 'test/support/globalSetup.ts',
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: [`test/{${engineFolders}}/**/*.test.ts`],
          exclude: stackTests,
          globalSetup: 'test/support/globalSetup.ts',
        },
      },
    ],
  },
});
