import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A mutant is tested until a test fails. Unit tests catch most mutants, and are the fastest. */
class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isUnit = ({ moduleId }: TestSpecification) => moduleId.includes('/test/unit/');
    return [...files.filter(isUnit), ...files.filter((file) => !isUnit(file))];
  }
}

/**
 * The tests of lib, without those that are too slow for what they add. Stryker's own settings are beside: tests over
 * HTTP load the functions by name, so no import relates them to a mutant, and commands change the working directory,
 * which needs a process of its own.
 */
export default defineConfig({
  test: {
    // The first looks at what is left in a bundle, and mutants are all in it. The others take longer than a mutant may.
    exclude: ['test/unit/http/operations.test.ts', 'test/integration/{newVersions,verification*}.test.ts'],
    include: [
      'test/{unit,integration,http,contract}/**/*.test.ts',
      'test/faults/{reasons,crashPoints,copyBack}.test.ts',
      'test/admin/*.test.ts',
    ],
    sequence: { sequencer: UnitTestsFirst },
    setupFiles: 'test/support/ownSurroundings.ts',
    globalSetup: 'test/support/globalSetup.ts',
    // A mutant of what is computed when a module is loaded needs the module loaded anew.
    isolate: true,
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
