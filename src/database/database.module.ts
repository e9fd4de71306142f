import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Env } from '../config/index.js';
import { Database } from './database.js';
import type { DatabaseParts } from './database-parts.js';
import { EMBEDDED_DATABASE_URL, isPostgres } from './database-url.js';
import { migratePostgres, postgresDataSource } from './open-postgres.js';
import { openReader, openWriter } from './open-sqlite.js';
import { PostgresDatabase } from './postgres-database.js';
import { migrationOptions, poolOptions } from './postgres-options.js';
import { SqliteDatabase } from './sqlite-database.js';
import { READER, readerOptions, sqliteFile, writerOptions } from './sqlite-options.js';

/** Opens the database, migrates it, and gives every module the way to it. */
@Global()
@Module({})
export class DatabaseModule {
  static of(env: Env, parts: DatabaseParts): DynamicModule {
    const url = env.DATABASE_URL ?? EMBEDDED_DATABASE_URL;
    return isPostgres(url) ? moduleOf(PostgresDatabase, postgres(url, env, parts)) : moduleOf(SqliteDatabase, sqlite(url, parts));
  }
}

function moduleOf(database: Type<Database>, imports: DynamicModule[]): DynamicModule {
  return { module: DatabaseModule, imports, providers: [{ provide: Database, useClass: database }], exports: [Database] };
}

function postgres(url: string, env: Env, parts: DatabaseParts): DynamicModule[] {
  return [
    TypeOrmModule.forRootAsync({
      useFactory: () => ({ ...poolOptions(url, env, parts), retryAttempts: 0 }),
      dataSourceFactory: async (options) => {
        await migratePostgres(migrationOptions(url, parts));
        return postgresDataSource(required(options)).initialize();
      },
    }),
  ];
}

function sqlite(url: string, parts: DatabaseParts): DynamicModule[] {
  return [
    TypeOrmModule.forRootAsync({
      useFactory: () => ({ ...writerOptions(sqliteFile(url), parts), retryAttempts: 0 }),
      dataSourceFactory: (options) => openWriter(required(options)),
    }),
    TypeOrmModule.forRootAsync({
      name: READER,
      // Reading starts once the writer has made the file and its schema.
      inject: [getDataSourceToken()],
      useFactory: ({ options }: DataSource) => ({ ...readerOptions(String(options.database), parts), retryAttempts: 0 }),
      dataSourceFactory: (options) => openReader(required(options)),
    }),
  ];
}

function required(options: DataSourceOptions | undefined): DataSourceOptions {
  if (options === undefined) throw new TypeError('The data source has no options.');
  return options;
}
