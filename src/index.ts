/** What teams build on that add modules of their own; all else may change without notice. */
export type { Extension } from './app.module.js';
export { type Caller, CurrentCaller } from './auth/index.js';
export { type Answered, answerPage, answerWithEtag, etagOf, IfMatch, Precondition, Revalidates } from './conditional/index.js';
export { Clock, ConfigError, Env, loadEnv } from './config/index.js';
export { type AppOptions, createApp } from './configure-app.js';
export { createDataSource } from './database-parts.js';
export { afterWrite, columnTypes, cutPage, Database, forUpdate, lockUntilCommit, query, tryLockUntilCommit } from './database/index.js';
export { ApiError, type ErrorCode, type OwnErrorCode } from './errors/index.js';
export { nextPageLink, publicAddress } from './http/index.js';
export { type Answer, type Attempt, created, CurrentAttempt, Idempotency, IdempotencyModule } from './idempotency/index.js';
export { Deprecated, type Deprecation, type Stability } from './lifecycle/index.js';
export { type HeaderName, Operation, OperationGroup, type OperationOptions } from './openapi/index.js';
export { PetsModule, PetsService } from './pets/index.js';
export { startService } from './start-service.js';
export * from './validation/index.js';
