import preset from 'petstore-service/jest-preset';

export default { ...preset, testMatch: ['<rootDir>/test/**/*.spec.ts'], testTimeout: 60_000 };
