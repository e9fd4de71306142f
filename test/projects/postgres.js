import { common } from './common.js';
import { areInstalled, EVERYTHING } from './requirements.js';

const SPECS = ['<rootDir>/test/both-databases/**/*.spec.ts', '<rootDir>/test/e2e/**/*.spec.ts', '<rootDir>/test/openapi/conformance.spec.ts', '<rootDir>/src/auth/**/*.spec.ts', '<rootDir>/src/rate-limit/*persistence.spec.ts'];

/** What has no meaning on PostgreSQL, or uses both databases by itself. */
const LEFT_OUT = [
  // Settings, and a start that fails: no database is reached.
  '<rootDir>/test/e2e/configuration.spec.ts',
  // Make SQLite fail, or take its file away; test/faults does so to PostgreSQL.
  '<rootDir>/test/e2e/database-failing.spec.ts',
  '<rootDir>/test/e2e/database-away.spec.ts',
  // Locks that SQLite has on the whole file.
  '<rootDir>/test/e2e/write-lock.spec.ts',
  // Changes of the file.
  '<rootDir>/test/e2e/changed-by-hand.spec.ts',
  // The embedded default.
  '<rootDir>/test/e2e/first-run.spec.ts',
];

/** All that depends on the database, once more, on PostgreSQL. */
export default () => ({
  ...common,
  displayName: 'postgres',
  globals: { TEST_DATABASE: 'postgres' },
  globalSetup: '<rootDir>/test/projects/postgres-setup.js',
  globalTeardown: '<rootDir>/test/projects/postgres-teardown.js',
  testMatch: SPECS,
  testPathIgnorePatterns: areInstalled('Tests on PostgreSQL', ['postgres']) ? LEFT_OUT : EVERYTHING,
});
