export { Database, type WriteOptions } from './database.js';
export { type DatabaseParts, databaseUrlOf, isPostgresUrl } from './database-options.js';
export { DatabaseModule } from './database.module.js';
export { commandLineDataSource, executedMigrations } from './migration-data-source.js';
export { columnTypes, type ColumnTypes } from './migrations/column-types.js';
export { MIGRATIONS } from './migrations/index.js';
export { sqliteFile } from './sqlite/sqlite-options.js';
export { cutPage, type Page, type PageRequest } from './paging/page.js';
export { pageCursor } from './paging/page-cursor.js';
export { readPage } from './paging/read-page.js';
export type { PageOrder } from './paging/sort-columns.js';
export {
  byBytes,
  chunksOf,
  forUpdate,
  lockUntilCommit,
  query,
  type SqlParameter,
  tryLockUntilCommit,
} from './statements.js';
export { onCommit, onTransactionEnd } from './transaction-callbacks.js';
export { outsideTransactions, type TableWatch, type Work } from './transaction.js';
export { isForeignKeyViolation, unavailable } from './unavailable.js';
