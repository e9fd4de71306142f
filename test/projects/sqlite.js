import { common } from './common.js';

export default {
  ...common,
  displayName: 'sqlite',
  testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/**/*.spec.ts'],
  testPathIgnorePatterns: ['<rootDir>/test/faults/', '<rootDir>/test/both-databases/', '<rootDir>/test/bench/on-servers.spec.ts'],
};
