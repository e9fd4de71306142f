import preset from 'petstore-service/jest-preset';

export default {
  ...preset,
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
  testTimeout: 60_000,
};
