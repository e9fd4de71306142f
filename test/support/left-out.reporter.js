import { relative } from 'node:path';

/** Ends a run with a list of the tests that it left out; in CI each of them is an error. */
export default class LeftOutReporter {
  #globalConfig;
  #leftOut;

  /** @param {{ readonly projects: readonly string[] }} options projects that can't be run here, each with the reason */
  constructor(globalConfig, { projects }) {
    this.#globalConfig = globalConfig;
    this.#leftOut = [...projects];
  }

  onRunComplete(_contexts, { testResults }) {
    const { rootDir, testNamePattern } = this.#globalConfig;
    // Whoever asks for tests by name leaves the others out on purpose.
    if (testNamePattern) return;
    for (const { testFilePath, testResults: tests } of testResults) {
      const skipped = tests.filter(({ status }) => status === 'pending' || status === 'todo');
      if (skipped.length > 0)
        this.#leftOut.push(`${skipped.length} of ${tests.length} tests of ${relative(rootDir, testFilePath)}`);
    }
    if (this.#leftOut.length > 0)
      process.stderr.write(`\nLeft out:\n${this.#leftOut.map((line) => `  ${line}\n`).join('')}`);
  }

  getLastError() {
    if (process.env.CI !== undefined && this.#leftOut.length > 0) return new Error('In CI no test may be left out.');
  }
}
