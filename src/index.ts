/** What teams import; everything else can change without notice. */
import './check-node.js';

export * from './kernel.js';
// The service
export { createApp } from './create-app.js';
export type { AppOptions } from './extensions/app-options.js';
export { startService } from './start-service.js';
export { createDataSource, migrate } from './database-parts.js';
export { ConfigError, loadEnv } from './platform/config/load-env.js';
export type { Extension } from './extensions/extension.js';
export type { HealthIndicator } from './monitoring/readiness.js';
/** The token of the one registry: another copy of @prometheus-io/client would have another. */
export { Registry } from '@prometheus-io/client';
// Accounts, pets, categories and orders
export type { Suspended } from './auth/caller.js';
export type { KeyChange } from './auth/keys/api-keys.repository.js';
export type { KeyDetails, KeyEvents } from './accounts/keys/key-responses.dto.js';
export type { Limits, PlanName } from './auth/keys/plan.js';
export { CounterStore } from './rate-limit/counter-store.js';
export type { Decision, UsageReport, WindowReport } from './rate-limit/windows/decision.js';
export * from './pets/index.js';
export type { CategoryEntity, CategoryEvents } from './categories/index.js';
export type { OrderEntity, OrderEvents, OrderStatus } from './store/index.js';
// Types of options and results
export type { Examples, SuccessResponse } from './openapi/operation.decorator.js';
export type { ParamOptions, PathIdOptions } from './http/validation/params.js';
export type { DecimalOptions, EnumOptions, NestedOptions } from './http/validation/fields.js';
export type { FieldOptions } from './http/validation/field.js';
export type { RawJson } from './platform/int64.js';
export type { HeaderName } from './http/response-headers.js';
export type { ErrorCode, OwnErrorCode } from './platform/errors/error-codes.js';
export { ExtensionError } from './platform/errors/extension-error.js';
export type { ConnectionUse } from './database/database.js';
export type { DatabaseParts } from './database/database-options.js';
export type { ColumnTypes } from './database/schema.js';
export type { SqlParameter } from './database/statements.js';
export type { Condition } from './database/paging/index-range.js';
export type { ColumnValue } from './database/paging/page-key.js';
export type { Script } from './platform/redis/redis-client.js';
export type { BeforeCommitListener } from './database/events/before-commit.decorator.js';
export type { Raised } from './database/events/events.js';
export type { AccountAction, AuditAction, AuditedOperation, KeyAction } from './auth/keys/audit-record.entity.js';
export type { LogEnd, NewLoggedEvent } from './database/events/event-log.js';
export type { EventType, StateOf } from './database/events/event-types.js';
export type { DeliveryOutcome, DeliveryResult, DueDelivery } from './database/events/delivery/deliveries.js';
export type { DeliveryState, EventDelivery } from './database/events/delivery/event-delivery.entity.js';
export type { LoggedEventOptions } from './database/events/delivery/logged-event-listeners.js';
/** @deprecated Use `runAs`. */
export { runAs as actAs } from './database/events/actor.js';
