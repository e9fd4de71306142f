import { common } from './common.js';
import { areInstalled, EVERYTHING } from './requirements.js';

/** Real servers, most of which are killed, paused and starved; run once, as the tests start what they need. */
export default () => ({
  ...common,
  displayName: 'faults',
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
  testMatch: ['<rootDir>/test/faults/**/*.spec.ts', '<rootDir>/test/bench/on-servers.spec.ts'],
  testPathIgnorePatterns: areInstalled('Tests of faults', ['postgres', 'redis-server']) ? [] : EVERYTHING,
});
