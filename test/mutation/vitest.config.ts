import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** A mutant is tested until a test fails. Unit tests catch most mutants, and are the fastest. */
class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isUnit = ({ moduleId }: TestSpecification) => moduleId.includes('/test/unit/');
    return [...files.filter(isUnit), ...files.filter((file) => !isUnit(file))];
  }
}

/** The tests of lib, without those that are too slow for what they add. */
export default defineConfig({
  test: {
    // It looks at what is left in a bundle, and mutants are all in it.
    exclude: ['test/unit/http/operations.test.ts'],
    include: [
      'test/unit/{item,catalog,access,identity,store,http,operator,runtime}/**/*.test.ts',
      'test/integration/{createItem,updateItem,roundTrips,readRoundTrips}.test.ts',
      'test/integration/{copyBack,documentClient,openDatabase,repair,scanTable}.test.ts',
      'test/integration/{observer,identity/*}.test.ts',
      'test/http/smoke.test.ts',
      'test/faults/{reasons,crashPoints,copyBack}.test.ts',
      'test/tools/admin/{registryCommands,concurrentOperators,tokenCommands}.test.ts',
    ],
    sequence: { sequencer: UnitTestsFirst },
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
