export * from './access.decorators.js';
export * from './auth.module.js';
export * from './authentication/key-verifier.js';
export * from './bearer.guard.js';
export * from './caller.js';
