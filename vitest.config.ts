import { defineConfig } from 'vitest/config';
import ClosingLineReporter from './test/support/closing-line-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/start-stores.ts', 'test/support/start-servers.ts'],
    env: {
      AWS_REGION: 'local',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
    reporters: [process.env['CI'] ? 'dot' : 'default', new ClosingLineReporter()],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['shared/**/*.ts', 'functions/**/*.ts', 'local/**/*.ts', 'client/**/*.ts', 'cli/**/*.ts'],
    },
  },
});
