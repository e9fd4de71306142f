export { onCommit, onTransactionEnd, outsideTransactions } from './current-transaction.js';
export { type DatabaseParts, databaseUrlOf, isPostgresUrl } from './database-options.js';
export { Database, type Work } from './database.js';
export { commandLineDataSource, DatabaseModule } from './database.module.js';
export { BeforeCommit, type BeforeCommitListener } from './events/before-commit.decorator.js';
export type { Change, DomainEvent, EventMap, EventName } from './events/domain-event.js';
export { Events, EventsModule } from './events/events.js';
export { pageCursor, type PageOrder } from './paging/page-key.js';
export { cutPage, type Page, type PageRequest, readPage } from './paging/page.js';
export { sqliteFile } from './sqlite/sqlite-file.js';
export {
  byBytes,
  chunksOf,
  columnTypes,
  type ColumnTypes,
  forUpdate,
  isLockedUntilCommit,
  lockUntilCommit,
  query,
  type SqlParameter,
  tryLockUntilCommit,
} from './statements.js';
export { isForeignKeyViolation, unavailable } from './unavailable.js';
