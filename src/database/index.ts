export { type DatabaseParts, EMBEDDED_DATABASE_URL, sqliteFile, writerOptions } from './data-source-options.js';
export { Database } from './database.js';
export { DatabaseModule } from './database.module.js';
