/** The public surface for extensions; everything else can change without notice. */
export type { Limits, PlanName } from './accounts/index.js';
export type { KeyChange, KeyChangeListener, KeyEvents, KeyListing } from './api-keys/index.js';
export { RecurringTask } from './background/index.js';
export {
  type AuthenticationFailure,
  type Caller,
  CurrentCaller,
  KeyVerifier,
  Public,
  RequireScope,
  type Verdict,
} from './auth/index.js';
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
  type Configurable,
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
  type ColumnTypes,
  cutPage,
  Database,
  type DatabaseParts,
  forUpdate,
  lockUntilCommit,
  onCommit,
  onTransactionEnd,
  type Page,
  type PageOrder,
  type PageRequest,
  query,
  readPage,
  type SqlParameter,
  type TableWatch,
  tryLockUntilCommit,
  type Work,
  type WriteOptions,
} from './database/index.js';
export {
  ApiError,
  DomainError,
  type ErrorCode,
  type OwnErrorCode,
  type Problem,
  UnavailableError,
} from './errors/index.js';
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
export { addLink, nextPageLink, publicAddress, type RawJson } from './http/index.js';
export { Deprecated, type Deprecation } from './lifecycle/index.js';
export {
  type Documentation,
  type ErrorDeclaration,
  type Examples,
  type HeaderName,
  Operation,
  OperationGroup,
  type OperationOptions,
  type Stability,
  type SuccessResponse,
} from './openapi/index.js';
export {
  Animal,
  ListPetsQuery,
  NewPet,
  PET_STATUSES,
  PetChange,
  PetEntity,
  type PetEvents,
  type PetFields,
  PetId,
  type PetRow,
  PetsModule,
  PetsService,
  type PetStatus,
} from './pets/index.js';
export { CounterStore, type Decision, type UsageReport, type WindowReport } from './rate-limit/index.js';
/** The token of the one registry: another copy of prom-client would have another. */
export { Registry } from 'prom-client';
export { startService } from './start-service.js';
export type { OrderEntity, OrderEvents, OrderStatus } from './store/index.js';
export {
  BooleanField,
  EnumField,
  EnumListField,
  type EnumOptions,
  EnumParam,
  type ExactInt64,
  type FieldOptions,
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
  type ParamOptions,
  PathId,
  type PathIdOptions,
  PatternParam,
  TextField,
} from './validation/index.js';
