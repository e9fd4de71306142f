/** The public surface for extensions; everything else can change without notice. */
import './check-node.js';
export type { Limits, PlanName, KeyChange, KeyDetails, KeyEvents } from './accounts/index.js';
export { RecurringTask, Clock, ConfigError, Env, loadEnv, DomainError, type ErrorCode } from './platform/index.js';
export { type Authentication, type Caller, CurrentCaller, KeyVerifier, Public, RequireScope } from './auth/index.js';
export {
  etagOf,
  IfMatch,
  Precondition,
  type ResponseBody,
  Revalidates,
  sendCreated,
  sendPage,
  sendWithEtag,
  ApiError,
  type OwnErrorCode,
  type Problem,
  Idempotent,
  RefuseIdempotencyKey,
  addLink,
  nextPageLink,
  publicAddress,
  type RawJson,
  type HeaderName,
  BooleanField,
  DateTimeField,
  DateTimeParam,
  DecimalField,
  type DecimalOptions,
  NestedField,
  type NestedOptions,
  BooleanParam,
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
} from './http/index.js';
export { type AppOptions, createApp } from './create-app.js';
export { createDataSource, migrate } from './database-parts.js';
export {
  columnTypes,
  TIME_COLUMN,
  type ColumnTypes,
  cutPage,
  type ConnectionUse,
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
  type RowLock,
  type SqlParameter,
  tryLockUntilCommit,
  type Work,
  actAs,
  BeforeCommit,
  type BeforeCommitListener,
  currentActor,
  type Change,
  type DomainEvent,
  type EventMap,
  type EventName,
} from './database/index.js';
export type { CategoryEntity, CategoryEvents } from './categories/index.js';
export { type Extension, ExtensionError } from './extensions/index.js';
export type { HealthIndicator } from './monitoring/index.js';
export { Deprecated, type Deprecation } from './lifecycle/index.js';
export {
  type Examples,
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
