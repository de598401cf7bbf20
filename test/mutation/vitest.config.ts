import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import configuration from '../../vitest.config.ts';

/** A mutant is tested until a test fails. Unit tests catch most mutants, and are the fastest. */
class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const isUnit = ({ moduleId }: TestSpecification) => moduleId.includes('/test/unit/');
    return [...files.filter(isUnit), ...files.filter((file) => !isUnit(file))];
  }
}

const dependenciesOnly = 'test/support/setup/dependenciesOnly.ts';

/** The tests of what is mutated, without those that are too slow for what they add. Stryker's settings are beside. */
export default defineConfig({
  test: {
    // The first look at the sources' text or at the size of bundles. The last take longer than a mutant may.
    exclude: [
      'test/unit/{imports,http/operations}.test.ts',
      'test/{client/frontendPage,infra/constructs/bundling}.test.ts',
      'test/integration/{newVersions,verification*}.test.ts',
    ],
    include: [
      'test/{unit,integration,http,contract,client,admin,infra}/**/*.test.ts',
      'test/faults/{reasons,crashPoints,copyBack}.test.ts',
    ],
    sequence: { sequencer: UnitTestsFirst },
    setupFiles: [dependenciesOnly, 'test/support/setup/repeatable.ts', 'test/support/setup/ownSurroundings.ts'],
    globalSetup: ['test/support/setup/temporaryFolder.ts', 'test/support/setup/globalSetup.ts'],
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    env: {
      ...configuration.test?.env,
      NODE_OPTIONS: `--import=${new URL('../support/setup/dependenciesOnly.ts', import.meta.url).href}`,
    },
  },
});
