import { defineConfig } from 'vitest/config';
import ClosingLineReporter from './test/support/closing-line-reporter.ts';

/** What starts processes, sets the environment or loads the functions as AWS does: each file has a process to itself. */
const APART = ['cli', 'e2e', 'functions/{attempts,stream,websocket}', 'infra', 'local'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
const COMMON = {
  env: {
    AWS_REGION: 'local',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  },
  testTimeout: 30_000,
  hookTimeout: 30_000,
};

export default defineConfig({
  test: {
    // Once for both projects: a project that extends this would start stores of its own.
    globalSetup: ['test/support/start-stores.ts', 'test/support/start-servers.ts'],
    reporters: [process.env['CI'] ? 'dot' : 'default', new ClosingLineReporter()],
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['shared/**/*.ts', 'functions/**/*.ts', 'local/**/*.ts', 'client/**/*.ts', 'cli/**/*.ts'],
    },
    projects: [
      { test: { ...COMMON, name: 'apart', include: APART } },
      // What has everything handed in shares a process: loading the product anew for each file took a minute.
      {
        test: { ...COMMON, name: 'together', include: ['test/**/*.test.ts'], exclude: APART, isolate: false },
      },
    ],
  },
});
