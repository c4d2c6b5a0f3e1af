import { defineConfig } from 'vitest/config';
import ClosingLineReporter from './test/support/closing-line-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
