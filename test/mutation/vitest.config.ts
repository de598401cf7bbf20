import { defineConfig } from 'vitest/config';

/** The tests that hold lib/item, lib/catalog, lib/store and lib/operator, without those that are slow for what they add here. */
export default defineConfig({
  test: {
    include: [
      'test/unit/{item,store}/**/*.test.ts',
      'test/integration/{createItem,updateItem,idempotency,roundTrips,openDatabase}.test.ts',
      'test/integration/{verification,verificationTraffic,scanTable}.test.ts',
      'test/faults/{reasons,crashPoints}.test.ts',
      'test/infra/tools/catalog/{accountSubcommands,concurrentOperators,tokenSubcommands}.test.ts',
    ],
    testNamePattern: '^(?!.*400 KB).*$',
    globalSetup: 'test/support/globalSetup.ts',
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    env: {
      AWS_LAMBDA_LOG_LEVEL: 'ERROR',
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  },
});
