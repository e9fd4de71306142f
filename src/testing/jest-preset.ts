import { extname, join } from 'node:path';

/**
 * Settings of jest for TypeScript tests as ES modules, for the service and for extensions. They need `@swc/core`,
 * `@swc/jest`, and Node with `--experimental-vm-modules`.
 */
const jestPreset = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  // Imports name the compiled file; tests use the source.
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
