/**
 * The door in the wall: everything that a feature is built with. Features import nothing else of the service besides each
 * other, and teams get all of it from the package. docs/building-a-feature.md explains it by what one wants to do.
 */
// Operations, and who can call them
export { Operation, OperationGroup, type OperationOptions, type Stability } from './openapi/operation.decorator.js';
export { created, pageOf, resource } from './openapi/operation.decorator.js';
export { Public, RequireScope } from './auth/access.decorators.js';
export { type Authentication, type Caller, CurrentCaller } from './auth/caller.js';
export { KEY_ID_SCHEMA } from './accounts/keys/key-responses.dto.js';
export { ActiveKeys } from './auth/keys/active-keys.js';
export { audit, lockAudit } from './auth/keys/audit-record.entity.js';
export { KeyVerifier } from './auth/authentication/key-verifier.js';
export { Deprecated, type Deprecation, operationRemoved } from './lifecycle/deprecation.interceptor.js';
export { Idempotent, RefuseIdempotencyKey } from './http/idempotency/idempotent.decorator.js';
// Parameters, and fields of bodies
export { BooleanParam, EnumParam, IdListParam, IdParam, Int64Param } from './http/validation/params.js';
export { IntegerParam, LimitQuery, PageQuery, PathId, PatternParam } from './http/validation/params.js';
export { BooleanField, DecimalField, EnumField, EnumListField, IdField } from './http/validation/fields.js';
export { Int64Field, IntegerField, NestedField, TextField } from './http/validation/fields.js';
export { DateTimeField, DateTimeParam, TIME_SCHEMA } from './http/validation/date-time.js';
export { ValidatedOnce } from './http/validation/request-validation.pipe.js';
export { type ExactInt64, type Int64, int64Json, isCanonicalId, isCanonicalInt64 } from './platform/int64.js';
// Responses and errors
export { etagOf, pageEtag } from './http/conditional-requests/entity-tags.js';
export { IfMatch, type PageJson, Precondition, Revalidates } from './http/conditional-requests/conditional-requests.js';
export { type ResponseBody, sendCreated, sendPage } from './http/conditional-requests/conditional-requests.js';
export { sendPageJson, sendWithEtag } from './http/conditional-requests/conditional-requests.js';
export { addLink, nextPageLink, publicAddress } from './http/addresses.js';
export { ApiError } from './http/errors/api-error.js';
export type { Problem } from './platform/errors/error-codes.js';
export { DomainError, orFail, notFound } from './platform/errors/domain-error.js';
export { UNKNOWN_ID } from './openapi/documented-errors.js';
// The database
export { Database, type Work } from './database/database.js';
export { query, isPostgres } from './database/statements.js';
export { columnTypes, TIME_COLUMN } from './database/schema.js';
export { cutPage, type Page, type PageRequest, readPage } from './database/paging/page.js';
export type { PageOrder } from './database/paging/page-key.js';
export { compare, indexRange } from './database/paging/index-range.js';
export { forUpdate, isLockedUntilCommit, lockUntilCommit, type RowLock, tryLockUntilCommit } from './database/locks.js';
export { onCommit, onTransactionEnd, outsideTransactions } from './database/transaction.js';
export { isForeignKeyViolation, unavailable } from './database/unavailable.js';
// Events
export { Events, EventsModule } from './database/events/events.js';
export { BeforeCommit } from './database/events/before-commit.decorator.js';
export { type EventDeclaration, EventTypes } from './database/events/event-types.js';
export { type CommittedEvent, OnLoggedEvent } from './database/events/delivery/logged-event-listeners.js';
export { Deliveries, type ListedDelivery } from './database/events/delivery/deliveries.js';
export { DeliveryWorker } from './database/events/delivery/delivery-worker.js';
export { RetryLater, type Subscription, type SubscriptionSource } from './database/events/delivery/subscription.js';
export { Subscriptions } from './database/events/delivery/subscriptions.js';
export { EventDeliveryModule } from './database/events/delivery/event-delivery.module.js';
export { type EventFilter, EventLog } from './database/events/event-log.js';
export { EVERY_ACCOUNT, LoggedEvent } from './database/events/logged-event.entity.js';
// Whole, so that features can extend `EventMap` in the door.
export * from './database/events/domain-event.js';
export { currentActor, currentPrincipal, NOBODY, type Principal, runAs, runFor } from './database/events/actor.js';
// Tasks, settings and servers
export { RecurringTask } from './platform/recurring-task.js';
export { OldRows } from './database/old-rows.js';
export { throwErrors } from './database/chunks.js';
export { Clock, rfc3339 } from './platform/config/clock.js';
export { Env } from './platform/config/env.js';
export { RedisClient, type RunScript } from './platform/redis/redis-client.js';
export { SharedVersion } from './platform/redis/shared-version.js';
export { RedisModule } from './platform/redis/redis.module.js';
