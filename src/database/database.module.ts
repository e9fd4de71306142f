import { type DynamicModule, Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Env } from '../platform/index.js';
import { Database } from './database.js';
import { type DatabaseParts, databaseUrlOf, isPostgresUrl } from './database-options.js';
import { PostgresDatabase, postgresDataSource } from './postgres/postgres-database.js';
import { migrationOptions, poolOptions } from './postgres/postgres-options.js';
import { SqliteDatabase, sqliteOptions } from './sqlite/sqlite-database.js';
import { createPrivateFile, sqliteFile } from './sqlite/sqlite-file.js';

/** Opens the database, migrates it, and gives every module the way to it: `Database`, which is the data source as well. */
@Global()
@Module({})
export class DatabaseModule {
  static forRoot(env: Env, parts: DatabaseParts): DynamicModule {
    const url = databaseUrlOf(env);
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...(isPostgresUrl(url) ? poolOptions(url, env, parts) : sqliteOptions(sqliteFile(url), parts)),
            autoLoadEntities: true,
            // A process that cannot open its database exits, and its supervisor restarts it.
            toRetry: () => false,
          }),
          // Nest calls it with what `useFactory` returned, and the entities of features.
          dataSourceFactory: async (options) => databaseOf(options as DataSourceOptions, env, parts),
        }),
      ],
      providers: [{ provide: Database, useExisting: DataSource }],
      exports: [Database],
    };
  }
}

function databaseOf(options: DataSourceOptions, env: Env, parts: DatabaseParts): Database {
  const { DATABASE_TIMEOUT_MS: waitMs, DATABASE_TRANSACTION_TIMEOUT_MS: transactionMs } = env;
  if (options.type !== 'postgres') return new SqliteDatabase(options, { waitMs, transactionMs });
  return new PostgresDatabase(options, migrationOptions(databaseUrlOf(env), parts), transactionMs);
}

/** A data source for the typeorm command line: not open yet, with one connection and without time limits. */
export function commandLineDataSource(databaseUrl: string, parts: DatabaseParts): DataSource {
  if (isPostgresUrl(databaseUrl)) return postgresDataSource(migrationOptions(databaseUrl, parts));
  const file = sqliteFile(databaseUrl);
  createPrivateFile(file);
  return new DataSource(sqliteOptions(file, parts));
}
