import { relative } from 'node:path';

/** Lists the skipped tests at the end of a run. In CI each of them is an error. */
export default class LeftOutReporter {
  #globalConfig;
  #leftOut;

  /** @param {{ readonly projects: readonly string[] }} options projects that cannot run here, each with the reason */
  constructor(globalConfig, { projects }) {
    this.#globalConfig = globalConfig;
    this.#leftOut = [...projects];
  }

  onRunComplete(_contexts, { testResults }) {
    const { rootDir, testNamePattern } = this.#globalConfig;
    // A name filter skips the other tests on purpose.
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
