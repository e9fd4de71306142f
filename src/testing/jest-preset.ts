import { extname, join } from 'node:path';

/**
 * Settings for jest with which it runs tests of the service, and of extensions, in TypeScript as ES modules. It needs
 * `@swc/core` and `@swc/jest`, and Node with `--experimental-vm-modules`.
 */
const jestPreset = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // Imports name the file that is built; here it is the source.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'es6' },
      },
    ],
  },
  setupFiles: [join(import.meta.dirname, `jest-preload${extname(import.meta.filename)}`)],
};

export default jestPreset;
