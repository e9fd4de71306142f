/** The public surface for extensions; everything else can change without notice. */
import './check-node.js';
export { type AppOptions, createApp } from './create-app.js';
export { createDataSource, migrate } from './database-parts.js';
export { type Extension, ExtensionError } from './extensions/index.js';
export type { HealthIndicator } from './monitoring/index.js';
export { Clock, ConfigError, DomainError, Env, type ErrorCode, loadEnv, RecurringTask } from './platform/index.js';
/** The token of the one registry: another copy of prom-client would have another. */
export { Registry } from 'prom-client';
export { startService } from './start-service.js';

// Operations
export { type Authentication, type Caller, CurrentCaller, KeyVerifier, Public, RequireScope } from './auth/index.js';
export { Idempotent, IfMatch, Precondition, RefuseIdempotencyKey, Revalidates } from './http/index.js';
export { Deprecated, type Deprecation } from './lifecycle/index.js';
export { Operation, OperationGroup, type OperationOptions } from './openapi/index.js';
export type { Examples, Stability, SuccessResponse } from './openapi/index.js';

// Responses
export { ApiError, type HeaderName, type OwnErrorCode, type Problem, type ResponseBody } from './http/index.js';
export { addLink, etagOf, nextPageLink, publicAddress } from './http/index.js';
export { sendCreated, sendPage, sendWithEtag } from './http/index.js';

// Parameters, and fields of bodies
export { BooleanParam, DateTimeParam, EnumParam, IdParam, Int64Param, IntegerParam } from './http/index.js';
export { LimitQuery, PageQuery, type ParamOptions, PathId, type PathIdOptions, PatternParam } from './http/index.js';
export { BooleanField, DateTimeField, DecimalField, EnumField, EnumListField, IdField } from './http/index.js';
export { Int64Field, IntegerField, NestedField, TextField } from './http/index.js';
export type { DecimalOptions, EnumOptions, FieldOptions, NestedOptions } from './http/index.js';
export { type ExactInt64, type Int64, int64Json, isCanonicalId, isCanonicalInt64, type RawJson } from './http/index.js';

// The database
export { Database, type ConnectionUse, type DatabaseParts, type Work } from './database/index.js';
export { type ColumnTypes, columnTypes, query, type SqlParameter, TIME_COLUMN } from './database/index.js';
export { cutPage, type Page, type PageOrder, type PageRequest, readPage } from './database/index.js';
export { forUpdate, lockUntilCommit, type RowLock, tryLockUntilCommit } from './database/index.js';
export { onCommit, onTransactionEnd } from './database/index.js';

// Events
export { actAs, BeforeCommit, type BeforeCommitListener, currentActor } from './database/index.js';
export type { Change, DomainEvent, EventMap, EventName } from './database/index.js';

// Accounts, pets, categories and orders
export type { KeyChange, KeyDetails, KeyEvents, Limits, PlanName } from './accounts/index.js';
export { CounterStore, type Decision, type UsageReport, type WindowReport } from './rate-limit/index.js';
export {
  Animal,
  ListPetsQuery,
  NewPet,
  PetChange,
  type PetFields,
  PetId,
  PetsModule,
  PetsService,
} from './pets/index.js';
export { PET_STATUSES, PetEntity, type PetEvents, type PetRow, type PetStatus } from './pets/index.js';
export type { CategoryEntity, CategoryEvents } from './categories/index.js';
export type { OrderEntity, OrderEvents, OrderStatus } from './store/index.js';
