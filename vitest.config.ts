import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/globalSetup.ts',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    env: {
      AWS_LAMBDA_LOG_LEVEL: 'ERROR',
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  },
});
