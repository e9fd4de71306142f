import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from './test/support/servers/installed.ts';
import jestPreset from './src/testing/jest-preset.ts';

/** What one test mocks, the next one does not. */
const preset = { ...jestPreset, restoreMocks: true };

/** Tests that start several processes or servers take longer than the rest. */
const patient = { ...preset, setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'] };

const missing = (programs) => programs.filter((program) => !isInstalled(program));
const servers = {
  postgres: missing(['postgres']),
  redis: missing(['redis-server']),
  faults: missing(['postgres', 'redis-server']),
  browser: missing(['chromium']),
};

/** Leaves every test of a project out where the programs it needs are missing. */
const ignored = (name, patterns = []) => (servers[name].length === 0 ? patterns : ['/']);

/**
 * Specs that run once more, on PostgreSQL: those that name `onPostgres`, as something differs there, and those with a comment
 * `@postgres` that says why. What all others ask over HTTP, test/both-databases compares for every operation.
 */
const RUNS_ON_POSTGRES = /\bonPostgres\b|\/\/ @postgres: ./;

const namesPostgres = (path) => RUNS_ON_POSTGRES.test(readFileSync(join(import.meta.dirname, path), 'utf8'));
const onPostgres = () =>
  globSync(['src/**/*.spec.ts', 'test/{e2e,processes}/*.spec.ts'], { cwd: import.meta.dirname })
    .filter(namesPostgres)
    .map((path) => `<rootDir>/${path}`);

function endToEnd(name) {
  return `<rootDir>/test/e2e/${name}.spec.ts`;
}

/** Specs of what only a Redis server shows, and folders of them. */
const ON_REDIS = [
  '<rootDir>/src/platform/redis/',
  '<rootDir>/src/rate-limit/redis/',
  endToEnd('redis'),
  endToEnd('tracing'),
];

/** A PostgreSQL server that lasts as long as the run, with a database for each spec. Jest starts one for both projects. */
const sharedServer = {
  globalSetup: '<rootDir>/test/support/postgres-setup.js',
  globalTeardown: '<rootDir>/test/support/postgres-teardown.js',
};

/** Each spec is in one project; `postgres` runs some of them again. */
const projects = [
  {
    ...preset,
    displayName: 'unit',
    testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/*.spec.ts'],
    testPathIgnorePatterns: ON_REDIS,
  },
  {
    ...preset,
    displayName: 'e2e',
    testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'],
    testPathIgnorePatterns: ON_REDIS,
  },
  // Processes of the built service on SQLite: signals, crashes, the programs, a log that nobody reads.
  { ...patient, displayName: 'processes', testMatch: ['<rootDir>/test/processes/**/*.spec.ts'] },
  {
    ...preset,
    displayName: 'redis',
    testMatch: ON_REDIS.map((path) => (path.endsWith('/') ? `${path}*.spec.ts` : path)),
    testPathIgnorePatterns: ignored('redis'),
  },
  {
    ...preset,
    displayName: 'postgres',
    globals: { TEST_DATABASE: 'postgres' },
    ...sharedServer,
    testMatch: ['<rootDir>/test/both-databases/**/*.spec.ts', ...onPostgres()],
    testPathIgnorePatterns: ignored('postgres'),
  },
  // Servers and instances that are killed, paused and starved.
  {
    ...patient,
    displayName: 'faults',
    ...sharedServer,
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
  // All else: the rules and generated clients of the OpenAPI document, the image, the benchmark.
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
  // One test in four waits for a timer or another process, and the parent waits too.
  maxWorkers: availableParallelism() + 1,
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.js',
  // A machine that is busy with other things is not to fail a test.
  testTimeout: 300_000,
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
