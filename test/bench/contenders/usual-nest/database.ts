import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { types } from 'pg';

const SQLITE = 'sqlite:';

export function databaseOf(url: string): TypeOrmModuleOptions {
  if (!url.startsWith(SQLITE)) {
    types.setTypeParser(types.builtins.INT8, Number);
    return { type: 'postgres', url };
  }
  return {
    type: 'better-sqlite3',
    database: url.slice(SQLITE.length),
    prepareDatabase: (database: { pragma(text: string): void }) => {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
    },
  };
}
