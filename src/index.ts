/** The public surface for extensions; everything else can change without notice. */
export { RecurringTask } from './background/index.js';
export { type Caller, CurrentCaller, KeyVerifier, Public, RequireScope } from './auth/index.js';
export {
  etagOf,
  IfMatch,
  Precondition,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPage,
  sendWithEtag,
} from './conditional-requests/index.js';
export {
  Clock,
  ConfigError,
  Env,
  FlagSetting,
  IntegerSetting,
  ListSetting,
  loadEnv,
  type Override,
  Setting,
} from './config/index.js';
export { type AppOptions, createApp } from './create-app.js';
export { createDataSource } from './database-parts.js';
export {
  columnTypes,
  cutPage,
  Database,
  forUpdate,
  lockUntilCommit,
  onCommit,
  onTransactionEnd,
  type Page,
  type PageOrder,
  type PageRequest,
  query,
  readPage,
  tryLockUntilCommit,
} from './database/index.js';
export { ApiError, DomainError, type ErrorCode, type OwnErrorCode, UnavailableError } from './errors/index.js';
export { type Extension, ExtensionError } from './extensions/index.js';
export type { HealthIndicator } from './health/index.js';
export {
  BeforeCommit,
  type BeforeCommitListener,
  type Change,
  type DomainEvent,
  type EventMap,
  type EventName,
} from './events/index.js';
export { addLink, nextPageLink, publicAddress } from './http/index.js';
export { Deprecated, type Deprecation, type Stability } from './lifecycle/index.js';
export { type HeaderName, Operation, OperationGroup, type OperationOptions } from './openapi/index.js';
export { PetEntity, PetsModule, PetsService } from './pets/index.js';
export { CounterStore } from './rate-limit/index.js';
/** The token of the one registry: another copy of prom-client would have another. */
export { Registry } from 'prom-client';
export { startService } from './start-service.js';
export {
  BooleanField,
  EnumField,
  EnumListField,
  EnumParam,
  type ExactInt64,
  IdField,
  IdParam,
  type Int64,
  Int64Field,
  int64Json,
  Int64Param,
  IntegerField,
  IntegerParam,
  isCanonicalId,
  isCanonicalInt64,
  LimitQuery,
  PageQuery,
  PathId,
  type PathIdOptions,
  PatternParam,
  TextField,
} from './validation/index.js';
