// Ends every run with one plain line, `N passed, N failed`, for people and scripts that read only the tail.
// It is written when the process exits, so nothing another reporter prints can come after it.
//
//   R1  A failure outside a test counts too: a file that does not load, a hook that throws and an error
//       nobody caught each count once, so none of them hides behind "0 failed".

import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export default class ClosingLineReporter implements Reporter {
  #line = '0 passed, 0 failed';

  onInit() {
    process.once('exit', () => process.stdout.write(`${this.#line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]) {
    this.#line = closingLine(modules, uncaught.length);
  }
}

function closingLine(modules: readonly TestModule[], uncaught: number): string {
  const count = { passed: 0, failed: uncaught, skipped: 0, pending: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) count[test.result().state] += 1;
    for (const group of [module, ...module.children.allSuites()]) {
      if (group.errors().length > 0) count.failed += 1;
    }
  }
  const notRun = count.skipped + count.pending;
  return `${count.passed} passed, ${count.failed} failed${notRun > 0 ? `, ${notRun} skipped` : ''}`;
}
