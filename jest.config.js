import { isInstalled } from './test/support/servers/installed.ts';
import jestPreset from './src/testing/jest-preset.ts';

/** Tests that start several processes or servers take longer than the rest. */
const patient = { ...jestPreset, setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'] };

const missing = (programs) => programs.filter((program) => !isInstalled(program));
const servers = {
  postgres: missing(['postgres']),
  redis: missing(['redis-server']),
  faults: missing(['postgres', 'redis-server']),
  browser: missing(['chromium']),
};

/** Leaves every test of a project out where the programs it needs are missing. */
const ignored = (name, patterns = []) => (servers[name].length === 0 ? patterns : ['/']);

/** Specs of the service and of units that use its database, and so run once more, on PostgreSQL. */
const ON_POSTGRES = [
  '<rootDir>/test/both-databases/**/*.spec.ts',
  '<rootDir>/test/e2e/**/*.spec.ts',
  ...['crash', 'crash-fuzz', 'keys', 'sigterm'].map((name) => `<rootDir>/test/processes/${name}.spec.ts`),
  '<rootDir>/test/openapi/conformance.spec.ts',
  '<rootDir>/src/accounts/keys/**/*.spec.ts',
  '<rootDir>/src/auth/**/*.spec.ts',
  '<rootDir>/src/accounts/cli/**/*.spec.ts',
  '<rootDir>/src/rate-limit/persistence/*.spec.ts',
];

/** Of these, the specs to which another database makes no difference. */
const SAME_ON_POSTGRES = [
  // HTTP, and what is decided before a database is asked.
  ...['admission', 'cors', 'event-loop', 'every-response', 'lifecycle', 'malformed-http', 'odd-requests'].map(endToEnd),
  // Limits, whose counts `restart` and the specs of persistence keep in a database.
  ...['address-limits', 'bans', 'limits', 'redis', 'usage'].map(endToEnd),
  // The start and the end.
  ...['smoke', 'starting', 'stopping'].map(endToEnd),
  // SQLite: its file, its locks, the embedded default. test/faults makes PostgreSQL fail.
  ...['backup', 'database-failing', 'failure-log', 'write-lock'].map(endToEnd),
  // No database.
  ...['auth/keys/api-key-format', 'auth/bearer.guard', 'accounts/cli/keys-arguments'].map(
    (name) => `<rootDir>/src/${name}.spec.ts`,
  ),
];

function endToEnd(name) {
  return `<rootDir>/test/e2e/${name}.spec.ts`;
}

/** Specs of what only a Redis server shows, and folders of them. */
const ON_REDIS = [
  '<rootDir>/src/platform/redis/',
  '<rootDir>/src/rate-limit/redis/',
  '<rootDir>/src/pets/cache/shared-version.spec.ts',
  endToEnd('redis'),
  endToEnd('coherence'),
  endToEnd('tracing'),
];

/** Each spec is in one project; `postgres` runs some of them again. */
const projects = [
  {
    ...jestPreset,
    displayName: 'unit',
    testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/*.spec.ts'],
    testPathIgnorePatterns: ON_REDIS,
  },
  {
    ...jestPreset,
    displayName: 'e2e',
    testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
    testPathIgnorePatterns: ON_REDIS,
  },
  // Processes of the built service on SQLite: signals, crashes, the programs, a log that nobody reads.
  { ...patient, displayName: 'processes', testMatch: ['<rootDir>/test/processes/**/*.spec.ts'] },
  {
    ...jestPreset,
    displayName: 'redis',
    testMatch: ON_REDIS.map((path) => (path.endsWith('/') ? `${path}*.spec.ts` : path)),
    testPathIgnorePatterns: ignored('redis'),
  },
  {
    ...jestPreset,
    displayName: 'postgres',
    globals: { TEST_DATABASE: 'postgres' },
    globalSetup: '<rootDir>/test/support/postgres-setup.js',
    globalTeardown: '<rootDir>/test/support/postgres-teardown.js',
    testMatch: ON_POSTGRES,
    testPathIgnorePatterns: ignored('postgres', SAME_ON_POSTGRES),
  },
  // Servers of the tests' own, most of which are killed, paused and starved.
  {
    ...patient,
    displayName: 'faults',
    testMatch: ['<rootDir>/test/faults/**/*.spec.ts', '<rootDir>/test/bench/on-servers.spec.ts'],
    testPathIgnorePatterns: ignored('faults'),
  },
  { ...patient, displayName: 'docs', testMatch: ['<rootDir>/test/docs/**/*.spec.ts'] },
  {
    ...patient,
    displayName: 'browser',
    testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
    testPathIgnorePatterns: ignored('browser'),
  },
  // All else: the OpenAPI document, the image, the benchmark.
  {
    ...patient,
    displayName: 'tooling',
    testMatch: ['<rootDir>/test/*/**/*.spec.ts'],
    testPathIgnorePatterns: [
      'e2e/',
      'processes/',
      'both-databases/',
      'faults/',
      'docs/',
      'browser/',
      'bench/on-servers',
      'package/reviews/',
    ].map((part) => `<rootDir>/test/${part}`),
  },
];

export default {
  projects,
  // A machine with two cores has none to spare for the parent, which waits.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.js',
  // A machine that is busy with other things is not to fail a test.
  testTimeout: 60_000,
  workerIdleMemoryLimit: '1GB',
  reporters: [
    'default',
    [
      '<rootDir>/test/support/left-out.reporter.js',
      {
        projects: Object.entries(servers).flatMap(([name, absent]) =>
          absent.length === 0 ? [] : [`${name}: needs ${absent.join(' and ')}`],
        ),
      },
    ],
  ],
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/**/*.spec.ts'],
  coverageReporters: ['text-summary', 'html'],
};
